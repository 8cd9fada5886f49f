/** Whether a value is nested deeper than so many levels: most code that walks through values overflows the stack there. */
export function isDeeperThan(value: unknown, max: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (max === 0) return true
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  return parts.some((part) => isDeeperThan(part, max - 1))
}
