import type { Snapshot } from './types.js'

/** Holds the current snapshot of an axis. */
export interface SnapshotStore<C> {
  readonly current: Snapshot<C>
  /** Swaps in one assignment: no reader ever sees half of it. Listeners are called after the swap. */
  replace(next: Snapshot<C>): void
  /** Returns the function that ends the subscription. */
  subscribe(listener: (next: Snapshot<C>) => void): () => void
}

export function createSnapshotStore<C>(initial: Snapshot<C>): SnapshotStore<C> {
  let current = initial
  const listeners = new Set<(next: Snapshot<C>) => void>()
  return {
    get current() {
      return current
    },
    replace(next) {
      current = next
      for (const listener of [...listeners]) listener(next)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
