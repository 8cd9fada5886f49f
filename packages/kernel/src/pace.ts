/** Of work; then others have their turn. */
const SLICE_MS = 3

/** Cuts long work into slices, so that the event loop is not held up. Short work is never cut. */
export interface Pace {
  isDue(): boolean
  turn(): Promise<void>
}

export function createPace(): Pace {
  let start = performance.now()
  return {
    isDue: () => performance.now() - start >= SLICE_MS,
    async turn() {
      await new Promise<void>((resolve) => {
        // A timer takes a millisecond; not every runtime has what takes less.
        if (typeof setImmediate === 'function') setImmediate(resolve)
        else setTimeout(resolve)
      })
      start = performance.now()
    },
  }
}
