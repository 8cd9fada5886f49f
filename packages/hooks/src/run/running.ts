import type { ClockPort, ExtError } from '@ext/kernel'

interface Task {
  readonly done: Promise<unknown>
  readonly graceMs: number
}

/** What is under way, so that it can be ended. */
export class Running {
  readonly #tasks = new Map<AbortController, Task>()
  readonly #clock: ClockPort
  #closed: ExtError | undefined

  constructor(clock: ClockPort) {
    this.#clock = clock
  }

  throwIfClosed(): void {
    if (this.#closed) throw this.#closed
  }

  /**
   * Starts a task with a signal of its own, which follows the caller's and ends with {@link close}.
   * @param graceMs how long it may go on after that. Default 0
   */
  start<T>(task: (signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined, graceMs = 0): Promise<T> {
    // Not AbortSignal.any: a caller's signal may live as long as the process, and must not collect a listener per event.
    const controller = new AbortController()
    const follow = () => controller.abort(signal?.reason)
    if (signal?.aborted) follow()
    // A hook that was asked before can have closed them.
    else if (this.#closed) controller.abort(this.#closed)
    signal?.addEventListener('abort', follow, { once: true })
    const done = task(controller.signal).finally(() => {
      signal?.removeEventListener('abort', follow)
      this.#tasks.delete(controller)
    })
    this.#tasks.set(controller, { done, graceMs })
    return done
  }

  /** Ends every task and waits for it. */
  async close(reason: ExtError): Promise<void> {
    this.#closed ??= reason
    const ends = [...this.#tasks].map(async ([controller, { done, graceMs }]) => {
      const end = () => controller.abort(reason)
      if (graceMs === 0) {
        end()
        return done
      }
      const cancel = this.#clock.after(graceMs, end)
      return done.finally(cancel)
    })
    await Promise.allSettled(ends)
  }
}
