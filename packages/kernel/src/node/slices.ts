import { createPace, inTurns } from '../pace.js'

/**
 * Synchronous calls in slices: a promise for each file costs several times what the file itself does. One file on a slow
 * disk still holds up the event loop for as long as it takes.
 * @param look gets a time before it, in milliseconds since the epoch
 */
export async function inSlices<T, R>(items: readonly T[], look: (item: T, now: number) => R): Promise<readonly R[]> {
  const results: R[] = []
  const now = Date.now()
  await inTurns(items, createPace(), (item) => {
    results.push(look(item, now))
  })
  return results
}
