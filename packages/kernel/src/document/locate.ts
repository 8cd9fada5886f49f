/** Start and end offset of a node in its text. */
export type Span = readonly [start: number, end: number]

/** Finds the span of what a path of keys and indexes leads to; `undefined` when nothing is there. */
export type Locator = (path: readonly string[], part: 'key' | 'value') => Span | undefined

/** The span of the nearest ancestor that exists: a missing field is shown at the map that lacks it. */
export function locateNearest(locate: Locator, path: readonly string[], part: 'key' | 'value'): Span | undefined {
  const span = locate(path, part) ?? (part === 'key' ? locate(path, 'value') : undefined)
  if (span || path.length === 0) return span
  return locateNearest(locate, path.slice(0, -1), 'value')
}
