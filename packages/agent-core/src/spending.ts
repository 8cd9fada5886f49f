/** What model calls have used. */
export interface Spent {
  inputTokens: number
  outputTokens: number
  /** `undefined` until a model reports it. */
  costUsd: number | undefined
}

export function nothingSpent(): Spent {
  return { inputTokens: 0, outputTokens: 0, costUsd: undefined }
}

export function spend(
  sum: Spent,
  {
    inputTokens,
    outputTokens,
    costUsd,
  }: Readonly<{ inputTokens: number; outputTokens: number; costUsd?: number | undefined }>,
): void {
  sum.inputTokens += inputTokens
  sum.outputTokens += outputTokens
  if (costUsd !== undefined) sum.costUsd = (sum.costUsd ?? 0) + costUsd
}

/**
 * What sub-agents of hooks have used is remembered with the step of the hooks, and what the model has used for a server with
 * that of the call, so that a replay counts it too. Which of
 * several steps side by side it belongs to is not known, so the first that ends takes all: each amount is counted once.
 */
export function claimUnclaimed(unclaimed: Spent): { readonly spent?: Spent } {
  const { inputTokens, outputTokens, costUsd } = unclaimed
  if (inputTokens === 0 && outputTokens === 0 && costUsd === undefined) return {}
  Object.assign(unclaimed, nothingSpent())
  return { spent: { inputTokens, outputTokens, costUsd } }
}
