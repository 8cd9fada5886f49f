import type { Reply } from '../model-stream.js'
import type { RunContext, RunEnd } from '../run-context.js'
import { compact } from './compact.js'
import { tokensNow } from './estimate.js'

const DEFAULT_AT = 0.8

/** Before a model call: makes a conversation shorter that has reached its share of the model's context. */
export async function compactInTime(run: RunContext): Promise<RunEnd | undefined> {
  const { contextTokens } = run.model.limits ?? {}
  if (contextTokens === undefined || run.uncompacted !== undefined) return undefined
  const most = contextTokens * (run.agent.compaction.at ?? DEFAULT_AT)
  const tokens = tokensNow(run)
  if (tokens < most) return undefined
  const outcome = await compact(run, 'auto', String(run.turns))
  if (!outcome.done) giveUp(run, outcome.problem)
  else if (outcome.tokens >= most) giveUp(run, `it still has ${outcome.tokens} tokens`)
  return outcome.end
}

/**
 * After a model call that failed: a conversation that was too long for the model is made shorter, and asked once more.
 * @returns the end of the run, or `retry`; `undefined` if it was something else, or nothing can be done
 */
export async function compactAfterOverflow(
  run: RunContext,
  { broken, text, calls }: Reply,
): Promise<RunEnd | 'retry' | undefined> {
  const isOverflow = broken?.kind === 'context_length' && text === '' && calls.length === 0
  if (!isOverflow || run.overflowed || run.uncompacted !== undefined) return undefined
  run.overflowed = true
  run.emit('notice', { text: 'The conversation is too long for the model, so it is compacted and asked again.' })
  const outcome = await compact(run, 'auto', `${run.turns}:overflow`)
  if (outcome.end) return outcome.end
  if (outcome.done) return 'retry'
  giveUp(run, outcome.problem)
  return undefined
}

/** What failed or was refused once would be so again with every turn. */
function giveUp(run: RunContext, problem: string): void {
  run.uncompacted = problem
  run.emit('notice', { text: `The conversation is not compacted any more in this run: ${problem}.` })
}
