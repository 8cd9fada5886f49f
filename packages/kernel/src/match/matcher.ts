/** Says whether a subject is meant: a name, a text or a path. A value that can be printed. */
export interface Matcher {
  /** Pure and synchronous; never throws. */
  test(subject: string): boolean
  /** As it was written, or in the same words. */
  readonly text: string
  /** Why no subject whatever can match, as the end of a sentence. Absent if some may. */
  readonly never?: string
}

/** Matches each of the names exactly. */
export function matchNames(names: readonly string[]): Matcher {
  const known = new Set(names)
  return {
    test: (name) => known.has(name),
    text: names.join('|'),
    ...(known.size === 0 ? { never: 'it names nothing' } : {}),
  }
}

/** Matches what any of the matchers does. */
export function anyOf(matchers: readonly Matcher[]): Matcher {
  const reasons = matchers.map(({ never }) => never)
  return {
    test: (subject) => matchers.some((matcher) => matcher.test(subject)),
    text: matchers.map(({ text }) => text).join(', '),
    ...(reasons.includes(undefined) ? {} : { never: reasons[0] ?? 'the list is empty' }),
  }
}

/** Matches what the matcher does not. */
export function not(matcher: Matcher): Matcher {
  return {
    test: (subject) => !matcher.test(subject),
    text: `not ${matcher.text}`,
    ...(matcher === MATCH_ALL ? { never: 'it excludes everything' } : {}),
  }
}

/** Matches everything. What compiles to this is this very value. */
export const MATCH_ALL: Matcher = { test: () => true, text: '*' }
