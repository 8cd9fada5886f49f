import { scanClass } from './class.js'
import { compileTokens, type Token } from './wildcard.js'

/** One pattern in the language of `.gitignore`, without negation and comment. */
export interface GitignorePattern {
  /** Whether the pattern names the path or a folder above it. */
  matches(names: readonly string[]): boolean
  readonly never?: string
}

type NameTest = (name: string) => boolean

/** What a pattern says about the names of a path, from the first to the last. */
interface Parsed {
  /** Rows of names that follow each other; between two rows, any names may stand. */
  readonly rows: readonly (readonly NameTest[])[]
  /** The first row may start at any depth. */
  readonly floating: boolean
  /** How many names have to follow the last row: one for `/**`, one for a slash at the end. */
  readonly below: number
}

/**
 * Compiles what the `ignore` package means by a pattern, as a property test shows, in a form whose time is bounded by
 * the length of the pattern times that of the path.
 */
export function compileGitignore(pattern: string, ignoreCase: boolean): GitignorePattern {
  const parsed = parse(withoutTrailingBlanks(pattern), ignoreCase)
  if (typeof parsed === 'string') return { matches: () => false, never: parsed }
  const { rows, floating, below } = parsed
  return {
    matches(written) {
      const names = ignoreCase ? written.map(foldCase) : written
      let end = 0
      for (const [index, row] of rows.entries()) {
        // The earliest place is the best one: it leaves most to whatever follows.
        const last = index === 0 && !floating ? 0 : names.length - row.length
        let start = end
        while (start <= last && !row.every((test, at) => test(names[start + at] ?? ''))) start++
        if (start > last) return false
        end = start + row.length
      }
      return end + below <= names.length
    },
  }
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
    below: (endsOpen ? 1 : 0) + (folderOnly ? 1 : 0),
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
