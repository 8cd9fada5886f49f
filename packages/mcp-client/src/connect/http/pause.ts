import type { ClockPort } from '@ext/kernel/types'
import type { CancelSignal } from '../../cancel.js'

const MIN_MS = 100
const FIRST_MS = 1000
const MAX_MS = 30_000

/** Resolves after the time, or at once when the signal aborts. */
export function pause(clock: ClockPort, ms: number, signal: CancelSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(ms, done)
    signal.addEventListener('abort', done, { once: true })
  })
}

/**
 * How long to wait before a stream is asked for again, in milliseconds.
 * @param retryMs what the server wants; a server that wants none would be asked without a break
 * @param failed how often in a row that came to nothing
 */
export function reopenAfter(retryMs: number | undefined, failed: number): number {
  const wanted = retryMs === undefined ? FIRST_MS : Math.max(retryMs, MIN_MS)
  return Math.min(wanted * 2 ** Math.min(failed, 10), Math.max(MAX_MS, wanted))
}
