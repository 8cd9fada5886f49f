import type { ClockPort } from '@ext/kernel/types'

/** Settles as `work` does, or rejects with the reason of `signal` as soon as that aborts, whatever `work` does. */
export function until<T>(signal: AbortSignal, work: T | PromiseLike<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    // Attached in any case, so that a late rejection of abandoned work is nobody's unhandled rejection.
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort))
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
