import type { RunContext } from './run-context.js'
import type { Spent } from './spending.js'

/** Why a run may spend nothing more, as a sentence; `undefined` while it may. */
export function budgetUsedUp({
  spent,
  spentBefore,
  agent,
}: Pick<RunContext, 'spent' | 'spentBefore' | 'agent'>): string | undefined {
  const { maxTokens, maxCostUsd } = agent.limits
  const tokens = tokensOf(spent) + tokensOf(spentBefore)
  if (tokens >= maxTokens) return `The budget of ${maxTokens} tokens is used up: ${tokens}.`
  // Nobody has reported any.
  if (spent.costUsd === undefined && spentBefore.costUsd === undefined) return undefined
  const cost = (spent.costUsd ?? 0) + (spentBefore.costUsd ?? 0)
  if (cost < maxCostUsd) return undefined
  return `The budget of ${maxCostUsd} US dollars is used up: ${cost}.`
}

function tokensOf({ inputTokens, outputTokens }: Readonly<Spent>): number {
  return inputTokens + outputTokens
}
