import type { Snapshot } from './types.js'

/** Holds the current snapshot of an axis. */
export interface SnapshotStore<C> {
  readonly current: Snapshot<C>
  /**
   * Swaps in one assignment: no reader ever sees half of it. Listeners are called after the swap; if some throw, the
   * others are called all the same, and the first error is thrown again at the end.
   */
  replace(next: Snapshot<C>): void
  /** Returns the function that ends the subscription. */
  subscribe(listener: (next: Snapshot<C>) => void): () => void
}

/** A store that starts with `initial`. */
export function createSnapshotStore<C>(initial: Snapshot<C>): SnapshotStore<C> {
  let current = initial
  const listeners = new Set<(next: Snapshot<C>) => void>()
  return {
    get current() {
      return current
    },
    replace(next) {
      current = next
      const errors: unknown[] = []
      for (const listener of [...listeners]) {
        // A listener may have ended another's subscription, or have replaced `next` already.
        if (current !== next) break
        if (!listeners.has(listener)) continue
        try {
          listener(next)
        } catch (error) {
          errors.push(error)
        }
      }
      if (errors.length > 0) throw errors[0]
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
