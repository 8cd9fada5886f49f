import type { Guard } from './guard.js'

/** Those who want to hear of changes. They hear soon, once for what happened in one go. */
export class Listeners {
  readonly #guard: Guard
  readonly #entries = new Set<{ readonly listener: () => void }>()
  #isScheduled = false

  constructor(guard: Guard) {
    this.#guard = guard
  }

  /** Returns the function that ends the subscription. */
  add(listener: () => void): () => void {
    // The same function may be added twice.
    const entry = { listener }
    this.#entries.add(entry)
    return () => void this.#entries.delete(entry)
  }

  /** Not from here: what a listener does must not happen in the middle of a change. */
  tell(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => {
      this.#isScheduled = false
      for (const entry of [...this.#entries]) {
        if (this.#entries.has(entry)) this.#guard.call('onChange', entry.listener)
      }
    })
  }
}
