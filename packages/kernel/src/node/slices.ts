import { setImmediate } from 'node:timers/promises'

/** Of work, then the event loop has its turn. */
const SLICE_MS = 3

/**
 * Synchronous calls in slices: a promise for each file costs several times what the file itself does. One file on a slow
 * disk still holds up the event loop for as long as it takes.
 */
export async function inSlices<T, R>(items: readonly T[], look: (item: T) => R): Promise<readonly R[]> {
  const results: R[] = []
  let start = performance.now()
  for (const item of items) {
    results.push(look(item))
    if (performance.now() - start < SLICE_MS) continue
    await setImmediate()
    start = performance.now()
  }
  return results
}
