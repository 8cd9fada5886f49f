import type { Skill } from '@ext/skills/types'

/** A skill as JSON: a matcher is a function, and JSON has none. */
export function forPrograms({ paths, ...rest }: Skill): unknown {
  return { ...rest, ...(paths ? { paths: paths.text } : {}) }
}
