import { messageOf } from '@ext/kernel'
import { endHelpers } from '../helpers.js'
import { failedEnd, type RunContext, type RunEnd } from '../run-context.js'
import { runKey } from '../run-key.js'
import { compact } from './compact.js'

/**
 * Compacts the conversation because somebody wants it. Never rejects for anything that a model, hook or abort can do.
 * @param open what comes before it; it may end the run
 */
export async function compactNow(run: RunContext, open: () => Promise<RunEnd | undefined>): Promise<RunEnd> {
  const { active } = run.agent
  const key = runKey(run.session.ref)
  active.set(key, run)
  try {
    return (await open()) ?? (await compacted(run))
  } catch (error) {
    if (run.signal.aborted) return { reason: 'aborted' }
    return failedEnd('error', 'internal', `The conversation could not be compacted: ${messageOf(error)}`)
  } finally {
    await endHelpers(run)
    active.delete(key)
  }
}

async function compacted(run: RunContext): Promise<RunEnd> {
  const outcome = await compact(run, 'manual', 'manual')
  if (outcome.end) return outcome.end
  if (!outcome.done) run.emit('notice', { text: `The conversation is not compacted: ${outcome.problem}.` })
  return { reason: outcome.done ? 'done' : 'stopped' }
}
