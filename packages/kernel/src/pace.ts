/** Of work; then others have their turn. */
const SLICE_MS = 1.5
/** Looking at a clock costs as much as a small step of work, so it is looked at about this often. */
const LOOK_MS = 0.2
const MOST_STEPS = 8

/** Cuts long work into slices, so that the event loop is not held up. Short work is never cut. */
export interface Pace {
  /** To be asked before each step. */
  isDue(): boolean
  turn(): Promise<void>
}

export function createPace(): Pace {
  let start = performance.now()
  let looked = start
  /** From one look to the next. Steps that take their time are counted one by one. */
  let steps = 0
  let left = 1
  return {
    isDue() {
      if (--left > 0) return false
      const now = performance.now()
      const fit = (steps * LOOK_MS) / Math.max(now - looked, LOOK_MS / MOST_STEPS)
      steps = Math.max(1, Math.min(MOST_STEPS, steps * 2, Math.floor(fit)))
      left = steps
      looked = now
      return now - start >= SLICE_MS
    },
    async turn() {
      await new Promise<void>((resolve) => {
        // A timer takes a millisecond; not every runtime has what takes less.
        if (typeof setImmediate === 'function') setImmediate(resolve)
        else setTimeout(resolve)
      })
      start = performance.now()
      looked = start
      left = 1
    },
  }
}

/**
 * Goes through many items, one after the other and a slice at a time. A step that has to wait gives what it waits for.
 * A step in a function of its own is sooner fast than one in a loop that awaits.
 */
export async function inTurns<T>(
  items: readonly T[],
  pace: Pace,
  step: (item: T, index: number) => Promise<unknown> | undefined,
): Promise<void> {
  let at = 0
  const go = (): Promise<unknown> | undefined => {
    while (at < items.length) {
      if (pace.isDue()) return pace.turn()
      const index = at++
      const wait = step(items[index] as T, index)
      if (wait) return wait
    }
    return undefined
  }
  for (let wait = go(); wait; wait = go()) await wait
}
