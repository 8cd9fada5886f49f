import { createPace } from '../pace.js'

/**
 * Synchronous calls in slices: a promise for each file costs several times what the file itself does. One file on a slow
 * disk still holds up the event loop for as long as it takes.
 * @param look gets a time before it, in milliseconds since the epoch
 */
export async function inSlices<T, R>(items: readonly T[], look: (item: T, now: number) => R): Promise<readonly R[]> {
  const results: R[] = []
  const pace = createPace()
  const now = Date.now()
  for (const item of items) {
    if (pace.isDue()) await pace.turn()
    results.push(look(item, now))
  }
  return results
}
