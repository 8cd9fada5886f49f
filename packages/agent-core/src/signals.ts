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

/** Hears of the failure of what nobody waits for: a host may hand over an async function where a plain one is called. */
export function whenRejected(value: unknown, tell: (error: unknown) => void): void {
  if (value instanceof Promise) value.catch(tell)
}

/** Calls what a host has passed in, and waits for nothing. `failed` hears why it throws, or rejects later. */
export function attempt(call: () => unknown, failed: (error: unknown) => void): void {
  try {
    whenRejected(call(), failed)
  } catch (error) {
    failed(error)
  }
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

/** Work took longer than it may. */
export class OverTime extends DOMException {
  constructor(ms: number) {
    super(`Over the limit of ${ms} ms`, 'TimeoutError')
  }
}

/** Work that ends with the run, and after its own time. */
export interface Limit {
  /** For the work. Made only if somebody asks for it: a signal costs more than most of what the loop does. */
  readonly signal: AbortSignal
  /**
   * Settles as `work` does, or rejects as soon as the parent aborts, with its reason, or the time is over, with
   * {@link OverTime}, whatever `work` does. Once for a limit.
   */
  hold<T>(work: T | PromiseLike<T>): Promise<T>
}

export function createLimit(clock: ClockPort, ms: number, parent: AbortSignal): Limit {
  let controller: AbortController | undefined
  let stopped: { readonly reason: unknown } | undefined
  return {
    get signal() {
      controller ??= new AbortController()
      const reason = stopped ?? (parent.aborted ? { reason: parent.reason } : undefined)
      if (reason) controller.abort(reason.reason)
      return controller.signal
    },
    hold: (work) =>
      new Promise((resolve, reject) => {
        let cancel = () => {}
        const release = () => {
          cancel()
          parent.removeEventListener('abort', follow)
        }
        const stop = (reason: unknown) => {
          release()
          stopped = { reason }
          reject(reason)
          controller?.abort(reason)
        }
        const follow = () => stop(parent.reason)
        // Attached in any case, so that a late rejection of abandoned work is nobody's unhandled rejection.
        Promise.resolve(work).then(
          (value) => {
            release()
            resolve(value)
          },
          (error) => {
            release()
            reject(error)
          },
        )
        if (parent.aborted) return follow()
        parent.addEventListener('abort', follow)
        if (ms < Number.POSITIVE_INFINITY) cancel = clock.after(ms, () => stop(new OverTime(ms)))
      }),
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

/** Lets everything else have its turn, such as timers that are due. */
export function macrotask(): Promise<void> {
  return new Promise((resolve) => {
    // Not a timer where there is something quicker: those wait for a millisecond at least.
    const soon: (fn: () => void) => void = globalThis.setImmediate ?? setTimeout
    soon(resolve)
  })
}
