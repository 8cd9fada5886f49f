import type { ExtError } from '@ext/kernel'

/** What is under way, so that it can be ended. */
export class Running {
  readonly #tasks = new Map<AbortController, Promise<unknown>>()
  #closed: ExtError | undefined

  throwIfClosed(): void {
    if (this.#closed) throw this.#closed
  }

  /** Starts a task with a signal of its own, which follows the caller's and ends with {@link close}. */
  start<T>(task: (signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    // Not AbortSignal.any: a caller's signal may live as long as the process, and must not collect a listener per event.
    const controller = new AbortController()
    const follow = () => controller.abort(signal?.reason)
    if (signal?.aborted) follow()
    signal?.addEventListener('abort', follow, { once: true })
    const done = task(controller.signal).finally(() => {
      signal?.removeEventListener('abort', follow)
      this.#tasks.delete(controller)
    })
    this.#tasks.set(controller, done)
    return done
  }

  /** Ends every task and waits for it. */
  async close(reason: ExtError): Promise<void> {
    this.#closed ??= reason
    for (const controller of this.#tasks.keys()) controller.abort(this.#closed)
    await Promise.allSettled(this.#tasks.values())
  }
}
