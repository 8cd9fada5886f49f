import { scanClass } from './class.js'
import { compileTokens, type Token } from './wildcard.js'

/** One pattern in the language of `.gitignore`, without negation and comment. */
export interface GitignorePattern {
  /** Whether the pattern names the path or a folder above it. */
  matches(names: readonly string[]): boolean
  /** Whether the pattern names the path itself, which a folder above it does not do for it. */
  isFor(names: readonly string[], isFolder: boolean): boolean
  readonly never?: string
}

type NameTest = (name: string) => boolean

/** What a pattern says about the names of a path, from the first to the last. */
interface Parsed {
  /** Rows of names that follow each other; between two rows, any names may stand. */
  readonly rows: readonly (readonly NameTest[])[]
  /** The first row may start at any depth. */
  readonly floating: boolean
  /** `/**` stands at its end: at least one name follows the last row. */
  readonly endsOpen: boolean
  /** A slash stands at its end. */
  readonly folderOnly: boolean
}

/**
 * Compiles what the `ignore` package means by a pattern, as a property test shows, in a form whose time is bounded by
 * the length of the pattern times that of the path.
 */
export function compileGitignore(pattern: string, ignoreCase: boolean): GitignorePattern {
  const parsed = parse(withoutTrailingBlanks(pattern), ignoreCase)
  if (typeof parsed === 'string') return { matches: () => false, isFor: () => false, never: parsed }
  const { rows, floating, endsOpen, folderOnly } = parsed
  const below = (endsOpen ? 1 : 0) + (folderOnly ? 1 : 0)
  const fold = (written: readonly string[]) => (ignoreCase ? written.map(foldCase) : written)
  /** Where the rows end, each at the earliest place: that leaves most to whatever follows. -1 if they don't fit. */
  const endOf = (names: readonly string[], these: readonly (readonly NameTest[])[]) => {
    let end = 0
    for (const [index, row] of these.entries()) {
      const last = index === 0 && !floating ? 0 : names.length - row.length
      let start = end
      while (start <= last && !fits(row, names, start)) start++
      if (start > last) return -1
      end = start + row.length
    }
    return end
  }
  return {
    matches(written) {
      const names = fold(written)
      const end = endOf(names, rows)
      return end !== -1 && end + below <= names.length
    },
    isFor(written, isFolder) {
      if (folderOnly && !isFolder) return false
      const names = fold(written)
      if (endsOpen) {
        const end = endOf(names, rows)
        return end !== -1 && end < names.length
      }
      const last = rows.at(-1) ?? []
      const start = names.length - last.length
      const end = rows.length === 1 && !floating ? start : endOf(names, rows.slice(0, -1))
      const begins = rows.length > 1 || floating || start === 0
      return begins && start >= 0 && end !== -1 && end <= start && fits(last, names, start)
    },
  }
}

function fits(row: readonly NameTest[], names: readonly string[], start: number): boolean {
  return row.every((test, at) => test(names[start + at] ?? ''))
}

/** Blanks and line ends at the end are no part of a pattern, unless a backslash keeps a blank. */
function withoutTrailingBlanks(pattern: string): string {
  let end = pattern.length
  while (end > 0 && ' \r\n'.includes(pattern.charAt(end - 1))) end--
  let backslashes = 0
  while (pattern[end - backslashes - 1] === '\\') backslashes++
  return pattern.slice(0, backslashes % 2 === 1 && pattern[end] === ' ' ? end + 1 : end)
}

interface Segment {
  readonly tokens: Token[]
  /** A slash stands before and behind it that no backslash makes an ordinary character; ends of the pattern count too. */
  plainStart: boolean
  plainEnd: boolean
}

function parse(pattern: string, ignoreCase: boolean): Parsed | string {
  if (pattern === '' || pattern === '/') return 'it names nothing'
  const firstSlash = pattern.indexOf('/')
  const anchored = firstSlash !== -1 && firstSlash < pattern.length - 1
  const segments: Segment[] = []
  let current: Segment = { tokens: [], plainStart: true, plainEnd: true }
  const close = (plain: boolean) => {
    segments.push({ ...current, plainEnd: plain })
    current = { tokens: [], plainStart: plain, plainEnd: true }
  }
  let folderOnly = false
  for (let at = firstSlash === 0 ? 1 : 0; at < pattern.length; at++) {
    const unit = pattern.charAt(at)
    const atEnd = at === pattern.length - 1
    if (unit === '/') {
      if (atEnd) folderOnly = true
      else close(true)
    } else if (unit === '\\' && pattern[at + 1] === '/') {
      if (at + 2 === pattern.length) return 'a backslash stands before the slash at its end'
      at++
      close(false)
    } else if (unit === '*') {
      current.tokens.push('star')
    } else if (unit === '?') {
      current.tokens.push('any')
    } else if (unit === '[') {
      const found = scanClass(pattern, at)
      if (!found) return 'a [ has no ] that closes it, or holds a class that does not exist'
      at = found.end
      current.tokens.push({ class: new RegExp(found.source, ignoreCase ? 'i' : '') })
    } else {
      if (unit === '\\' && !atEnd) at++
      const literal = pattern.charAt(at)
      current.tokens.push({ literal: ignoreCase ? foldCase(literal) : literal })
    }
  }
  segments.push(current)
  return toRows(segments, anchored, folderOnly)
}

function toRows(segments: readonly Segment[], anchored: boolean, folderOnly: boolean): Parsed | string {
  const rows: NameTest[][] = [[]]
  for (const { tokens, plainStart, plainEnd } of segments) {
    if (tokens.length === 0) return 'two slashes follow each other'
    if (
      tokens.length <= 2 &&
      tokens.every((token) => typeof token === 'object' && 'literal' in token && token.literal === '.')
    ) {
      return 'a name in it is . or .., which a path that is resolved does not hold'
    }
    const anyNames = tokens.length > 1 && plainStart && plainEnd && tokens.every((token) => token === 'star')
    if (anyNames) rows.push([])
    else rows.at(-1)?.push(compileTokens(tokens))
  }
  const endsOpen = rows.length > 1 && rows.at(-1)?.length === 0
  return {
    rows: rows.filter((row) => row.length > 0),
    floating: !anchored || rows[0]?.length === 0,
    endsOpen,
    folderOnly,
  }
}

/** By UTF-16 unit, as regular expressions of JavaScript ignore case; the length stays. */
function foldCase(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toUpperCase()
  return text.replace(/[\s\S]/g, (unit) => {
    const upper = unit.toUpperCase()
    return upper.length === 1 && (upper >= '\x80' || unit < '\x80') ? upper : unit
  })
}
