import type { RunContext } from './run-context.js'
import { spend } from './spending.js'

/** Why a run may spend nothing more, as a sentence; `undefined` while it may. */
export function budgetUsedUp({
  spent,
  spentBefore,
  agent,
}: Pick<RunContext, 'spent' | 'spentBefore' | 'agent'>): string | undefined {
  const { maxTokens, maxCostUsd } = agent.limits
  const all = { ...spentBefore }
  spend(all, spent)
  const tokens = all.inputTokens + all.outputTokens
  if (tokens >= maxTokens) return `The budget of ${maxTokens} tokens is used up: ${tokens}.`
  if (all.costUsd === undefined || all.costUsd < maxCostUsd) return undefined
  return `The budget of ${maxCostUsd} US dollars is used up: ${all.costUsd}.`
}
