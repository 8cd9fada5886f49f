import { canonicalJson } from '@ext/kernel'

/** Whether two values are the same as JSON. What is nested too deep to be looked at is like nothing else. */
export function isSameJson(a: unknown, b: unknown): boolean {
  try {
    return canonicalJson(a) === canonicalJson(b)
  } catch {
    return false
  }
}
