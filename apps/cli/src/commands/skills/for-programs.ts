import type { Skill } from '@ext/skills/types'

/** A skill as JSON: a matcher is a function, and JSON has none. */
export function forPrograms(skill: Skill | undefined): unknown {
  if (!skill) return undefined
  const { paths, ...rest } = skill
  return { ...rest, ...(paths ? { paths: paths.text } : {}) }
}
