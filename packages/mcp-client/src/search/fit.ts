/** Which of the tools that were found are listed. Names, in the order in which they were found. */
export interface Fitted {
  readonly listed: readonly string[]
  readonly dropped: readonly string[]
}

/**
 * As many of the found tools as there is room for, the newest first. One that is too large even for an empty list is dropped
 * alone.
 * @param tokens of a tool; `undefined` for one that is not there now, which takes no room
 */
export function fitFound(found: readonly string[], tokens: (name: string) => number | undefined, room: number): Fitted {
  const listed: string[] = []
  const dropped: string[] = []
  let left = room
  for (const name of found.toReversed()) {
    const size = tokens(name) ?? 0
    if (size <= left) {
      left -= size
      listed.push(name)
    } else {
      dropped.push(name)
      // What was found before it does not stay instead of it.
      if (size <= room) left = -1
    }
  }
  return { listed: listed.reverse(), dropped: dropped.reverse() }
}
