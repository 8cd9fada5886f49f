import type { Span } from '../document/locate.js'
import type { Parsed } from '../document/parsed.js'

/**
 * Reads a header whose lines are all `key: scalar`, as most are, without loading the YAML parser. It takes only what
 * can't mean anything else, and property tests hold it equal to the parser in values, types and places.
 * @returns `undefined` for any other header
 */
export function readFlat(text: string): Parsed | undefined {
  const value = readFlatValue(text)
  return value && new FlatHeader(text, value)
}

/** The fields of such a header alone. */
export function readFlatValue(text: string): FlatValue | undefined {
  return readPlain(text, 0, text.length) ?? readScalars(text)
}

export type FlatValue = Readonly<Record<string, string | boolean>>

/**
 * Lines of printable ASCII whose values start with a letter: what {@link readScalars} would say, with one look at each.
 * They are all that stands between two places of a text.
 */
export function readPlain(text: string, start: number, end: number): FlatValue | undefined {
  if (end - start > MAX_PLAIN || end <= start) return undefined
  const value: Record<string, string> = {}
  for (let at = start; at < end; at = PLAIN.lastIndex) {
    PLAIN.lastIndex = at
    if (!PLAIN.test(text)) return undefined
    const colon = text.indexOf(':', at)
    const key = text.slice(at, colon)
    const written = text.slice(colon + 1, PLAIN.lastIndex).trim()
    if (isKeyword(key) || isKeyword(written) || Object.hasOwn(value, key)) return undefined
    value[key] = written
  }
  return value
}

/** Longer ones are read in another way. */
const MAX_PLAIN = 4000

const PLAIN = /[A-Za-z][A-Za-z0-9_-]{0,63}: +[A-Za-z][!-9;-~]*(?:(?::(?=[!-~])| +(?=[!"$-~]))[!-9;-~]*)* *(?:\r?\n|$)/y

function isKeyword(text: string): boolean {
  return text.length < 6 && KEYWORD.test(text)
}

function readScalars(text: string): FlatValue | undefined {
  const value: Record<string, string | boolean> = {}
  let count = 0
  const isFlat = eachLine(text, (key, [start, end]) => {
    if (KEYWORD.test(key) || Object.hasOwn(value, key)) return false
    const scalar = readScalar(text.slice(start, end))
    if (scalar === undefined) return false
    value[key] = scalar
    count++
    return true
  })
  return isFlat && count > 0 ? value : undefined
}

const NO_PROBLEMS: readonly never[] = Object.freeze([])

/** Places are looked for when somebody asks: most headers are never asked about. */
class FlatHeader implements Parsed {
  readonly value: unknown
  readonly #text: string
  #spans: ReadonlyMap<string, Spans> | undefined

  constructor(text: string, value: unknown) {
    this.#text = text
    this.value = value
  }

  get problems(): readonly never[] {
    return NO_PROBLEMS
  }

  locate([key, ...deeper]: readonly string[], part: 'key' | 'value'): Span | undefined {
    if (key === undefined) return part === 'value' ? [0, this.#text.length] : undefined
    if (deeper.length > 0) return undefined
    this.#spans ??= spansOf(this.#text)
    return this.#spans.get(key)?.[part]
  }
}

type Spans = Readonly<Record<'key' | 'value', Span>>

/** All at once: a header of thousands of fields may be asked about each of them. */
function spansOf(text: string): ReadonlyMap<string, Spans> {
  const spans = new Map<string, Spans>()
  eachLine(text, (key, value, start) => {
    spans.set(key, { key: [start, start + key.length], value })
    return true
  })
  return spans
}

/** @returns false once a line has not the form, or `visit` says so */
function eachLine(text: string, visit: (key: string, value: Span, start: number) => boolean): boolean {
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf('\n', start)
    const next = feed === -1 ? text.length : feed + 1
    let end = feed === -1 ? text.length : text[feed - 1] === '\r' && feed > start ? feed - 1 : feed
    while (end > start && text[end - 1] === ' ') end--
    HEAD.lastIndex = start
    const [head, key] = HEAD.exec(text) ?? []
    if (head === undefined || key === undefined) return false
    // An empty value: the blanks behind the colon are not at the end of the line only.
    const from = Math.min(start + head.length, next)
    if (!visit(key, [from, Math.max(from, end)], start)) return false
    start = next
  }
  return true
}

const HEAD = /([A-Za-z][A-Za-z0-9_-]{0,63}): +/y

const KEYWORD = /^(?:true|false|null)$/i

/** A word or more without anything that YAML reads as a sign, quotes without escapes, or a boolean. */
function readScalar(text: string): string | boolean | undefined {
  if (/[\0-\x1f\x7f-\x9f\u2028\u2029\ufeff]/.test(text)) return undefined
  if (/^'[^']*'$|^"[^"\\]*"$/.test(text)) return text.slice(1, -1)
  if (!/^[\p{L}]/u.test(text) || /: |:$| #/.test(text)) return undefined
  if (KEYWORD.test(text)) return text === 'true' ? true : text === 'false' ? false : undefined
  return text
}
