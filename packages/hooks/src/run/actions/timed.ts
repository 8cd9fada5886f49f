import { messageOf } from '@ext/kernel'
import type { CompiledHook } from '../../compile.js'
import type { ActionOutcome, ActionResult } from '../../protocol/types.js'
import type { Delivery } from '../delivery.js'
import type { ActionHost } from './action.js'

/**
 * Runs what ends by itself only if it listens to its signal. Settles at the latest with the time-out of the hook or the
 * end of the delivery; whatever the task does after that is of no interest.
 * @param onThrow what a throw is called
 */
export function timed(
  { timeoutMs }: Pick<CompiledHook, 'timeoutMs'>,
  { signal }: Pick<Delivery, 'signal'>,
  { ports: { clock } }: Pick<ActionHost, 'ports'>,
  task: (signal: AbortSignal) => Promise<ActionOutcome>,
  onThrow: string,
): Promise<ActionResult> {
  const started = clock.now()
  const ending = new AbortController()
  return new Promise((resolve) => {
    const settle = (outcome: ActionOutcome) => {
      cancel()
      signal.removeEventListener('abort', onAbort)
      resolve({ ...outcome, ms: clock.now() - started })
    }
    const fail = (error: unknown) => settle({ kind: 'failed', cause: onThrow, detail: messageOf(error) })
    const onAbort = () => {
      fail(signal.reason)
      ending.abort(signal.reason)
    }
    const cancel = clock.after(timeoutMs, () => {
      settle({ kind: 'timed-out' })
      ending.abort(new DOMException('The time of the hook is up.', 'TimeoutError'))
    })
    if (signal.aborted) onAbort()
    else {
      signal.addEventListener('abort', onAbort, { once: true })
      task(ending.signal).then(settle, fail)
    }
  })
}
