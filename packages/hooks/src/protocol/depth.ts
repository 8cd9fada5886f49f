/** Deeper JSON is nobody's reply, and to walk it takes more stack than there may be. */
export const MAX_DEPTH = 200

export const TOO_DEEP: string = `more than ${MAX_DEPTH} lists and maps within each other`

/** Whether JSON is nested deeper than {@link MAX_DEPTH}. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === MAX_DEPTH || Object.values(value).some((part) => isTooDeep(part, depth + 1))
}
