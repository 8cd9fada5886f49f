import type { RunContext } from './run-context.js'

/** Why a run may spend nothing more, as a sentence; `undefined` while it may. */
export function budgetUsedUp({ spent, agent }: Pick<RunContext, 'spent' | 'agent'>): string | undefined {
  const { maxTokens, maxCostUsd } = agent.limits
  const tokens = spent.inputTokens + spent.outputTokens
  if (tokens >= maxTokens) return `The budget of ${maxTokens} tokens is used up: ${tokens}.`
  if (spent.costUsd === undefined || spent.costUsd < maxCostUsd) return undefined
  return `The budget of ${maxCostUsd} US dollars is used up: ${spent.costUsd}.`
}
