import { ExtError } from '@ext/kernel'
import type { ClockPort } from '@ext/kernel/types'

/** Settles as `work` does, or rejects with the reason of `signal` as soon as that aborts, whatever `work` does. */
export function until<T>(signal: AbortSignal, work: T | PromiseLike<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    const done = () => signal.removeEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    // Attached in any case, so that a late rejection of abandoned work is nobody's unhandled rejection.
    Promise.resolve(work).then(
      (value) => {
        done()
        resolve(value)
      },
      (error) => {
        done()
        reject(error)
      },
    )
  })
}

/** Waits, or rejects with the reason of `signal`. Leaves no timer behind. */
export async function pause(clock: ClockPort, ms: number, signal: AbortSignal): Promise<void> {
  let cancel = () => {}
  try {
    await until(
      signal,
      new Promise<void>((resolve) => {
        cancel = clock.after(ms, resolve)
      }),
    )
  } finally {
    cancel()
  }
}

/** A signal that follows `parent` and has a deadline of its own. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Must be called when the work is over. */
  release(): void
}

export function deadline(clock: ClockPort, ms: number, parent: AbortSignal): Deadline {
  const controller = new AbortController()
  const follow = () => controller.abort(parent.reason)
  if (parent.aborted) follow()
  else parent.addEventListener('abort', follow, { once: true })
  const cancel = clock.after(ms, () => controller.abort(new DOMException(`Over the limit of ${ms} ms`, 'TimeoutError')))
  return {
    signal: controller.signal,
    release() {
      cancel()
      parent.removeEventListener('abort', follow)
    },
  }
}

const OUT_OF_TIME = 'agent-core.run.time'

/** Why a run is aborted whose wall clock is used up. */
export function outOfTime(ms: number): ExtError {
  return new ExtError(OUT_OF_TIME, `The run took longer than ${ms} ms.`)
}

export function isOutOfTime(reason: unknown): boolean {
  return ExtError.isInstance(reason) && reason.code === OUT_OF_TIME
}
