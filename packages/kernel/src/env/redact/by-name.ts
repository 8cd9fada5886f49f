import { MASK } from './mask.js'

/** `auth` also stands in `author`, which is nobody's secret. */
const SECRET_NAME = /api[_-]?key|secret|token|passw(?:or)?d|credential|auth(?!or(?!i[sz]))|private[_-]?key|cookie/i

/** Whether a variable, field or header of this name is likely to hold a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}

/** A name, how its quotes and brackets close, and what stands between it and its value. */
const NAMED = /(?<![\w.$-])([\w.$-]+)(\\*["'`]?\]?)(?:([ \t]*)([:=])[:=>]*|[ \t]+(?=\S))/g

/**
 * Masks the values of secrets by their name: `NAME=value`, `--name value`, `name: value` to the end of the line with what
 * is indented below it, and JSON. Looks at each character a bounded number of times.
 */
export function maskByName(text: string): string {
  const values = new ValueScanner(text)
  const names = new RegExp(NAMED)
  let masked = ''
  let from = 0
  // Of the line in the result, for a value that is masked can have held the start of the line.
  let indent = values.indentOf(0)
  let seen = 0
  for (let found = names.exec(text); found; found = names.exec(text)) {
    const [whole, name = '', quote = '', blank, separator] = found
    if (!isSecretName(name)) continue
    const lineBreak = text.slice(seen, found.index).lastIndexOf('\n')
    if (lineBreak !== -1) indent = values.indentOf(seen + lineBreak + 1)
    seen = found.index
    const behind = found.index + whole.length
    let value: Extent
    if (separator === '=') value = values.ofVariable(behind, blank !== '')
    else if (separator === ':') value = quote === '' ? values.ofHeader(behind, indent) : values.ofJson(behind)
    else if (name.startsWith('--')) value = values.ofOption(behind)
    else continue
    if (value.start === value.end) continue
    masked += text.slice(from, value.start) + MASK
    from = value.end
    seen = value.end
    names.lastIndex = value.end
  }
  return masked + text.slice(from)
}

interface Extent {
  readonly start: number
  readonly end: number
}

/** Finds out how far a value goes. Where that is not certain, it goes farther. */
class ValueScanner {
  readonly #text: string
  /** A bracket was never closed; another search to the end of the text would be one too many. */
  #unclosed = false

  constructor(text: string) {
    this.#text = text
  }

  /** @param indent what stands deeper than this on the next lines belongs to the value */
  ofHeader(at: number, indent: number): Extent {
    const start = this.#skip(at, /[ \t]*/y)
    const end = this.#lineEnd(this.#balanced(start) ?? start)
    const rest = this.#text.slice(start, end).trimEnd()
    const quoted = this.#quoted(start)
    if (quoted && this.#skip(quoted.close, /[ \t,;)\]}]*/y) === end) return quoted
    if (!/^(?:[|>][+-]?\d?[+-]?)?$/.test(rest)) return { start, end: start + rest.length }
    const block = this.#indented(end, indent)
    return block > end ? { start, end: block } : { start, end: start }
  }

  ofJson(at: number): Extent {
    const start = this.#skip(at, /\s*/y)
    const quoted = this.#quoted(start)
    // A line break in a text of JSON is an escape, so this quote closes another one of a later line.
    if (quoted && quoted.close <= this.#lineEnd(start)) return quoted
    const balanced = this.#balanced(start)
    if (balanced !== undefined) return { start, end: balanced }
    const plain = this.#skip(start, /(?:-?\d[\d.eE+-]*|true|false|null)(?=\s*(?:[,}\]]|$))/y)
    return { start, end: plain > start ? plain : this.#lineEnd(start) }
  }

  /** @param spaced blanks stand before the sign, as in an INI file, where a value goes to the end of the line */
  ofVariable(at: number, spaced: boolean): Extent {
    const start = this.#skip(at, /[ \t]*/y)
    const quoted = this.#quoted(start)
    // Shells glue quoted parts together.
    if (quoted && this.#skip(quoted.close, /[^\s,;)\]}&>]*/y) === quoted.close) return quoted
    if (spaced || start > at)
      return { start, end: start + this.#text.slice(start, this.#lineEnd(start)).trimEnd().length }
    return { start, end: this.#skip(quoted?.close ?? this.#balanced(start) ?? start, /\S*/y) }
  }

  ofOption(at: number): Extent {
    if (this.#text[at] === '-') return { start: at, end: at }
    return this.ofVariable(at, false)
  }

  #skip(at: number, pattern: RegExp): number {
    pattern.lastIndex = at
    return pattern.test(this.#text) ? pattern.lastIndex : at
  }

  #lineEnd(at: number): number {
    const end = this.#text.indexOf('\n', at)
    return end === -1 ? this.#text.length : end
  }

  /**
   * What is between quotes, with `close` behind the closing one. Inside of a JSON text in another one, quotes have
   * backslashes before them, and the same number of them ends the value.
   */
  #quoted(at: number): (Extent & { readonly close: number }) | undefined {
    const [open, quote] = [this.#skip(at, /\\{0,15}["'`]/y), this.#text[this.#skip(at, /\\{0,15}/y)]]
    if (open === at || quote === undefined) return undefined
    const level = open - at - 1
    for (let next = this.#text.indexOf(quote, open); next !== -1; next = this.#text.indexOf(quote, next + 1)) {
      let backslashes = 0
      while (next - backslashes > open && this.#text[next - backslashes - 1] === '\\') backslashes++
      const closes = level === 0 ? backslashes % 2 === 0 : backslashes <= level
      if (closes) return { start: open, end: level === 0 ? next : next - backslashes, close: next + 1 }
    }
    return undefined
  }

  /** The end of what is between brackets; `undefined` if there are none, or they are never closed. */
  #balanced(at: number): number | undefined {
    if (this.#unclosed || !/[{[]/.test(this.#text[at] ?? '')) return undefined
    let depth = 0
    const next = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|$)|[{}[\]]/g
    next.lastIndex = at
    for (let found = next.exec(this.#text); found; found = next.exec(this.#text)) {
      if (/^[{[]/.test(found[0])) depth++
      else if (/^[}\]]/.test(found[0]) && --depth === 0) return next.lastIndex
    }
    this.#unclosed = true
    return undefined
  }

  /** How many blanks stand at the start of a line. */
  indentOf(line: number): number {
    return this.#skip(line, / */y) - line
  }

  /** The end of the lines behind `end` that are blank or indented deeper. */
  #indented(end: number, indent: number): number {
    let last = end
    for (let next = end + 1; next <= this.#text.length; next = this.#lineEnd(next) + 1) {
      const depth = this.indentOf(next)
      const blank = /^[\r\n]?$/.test(this.#text[next + depth] ?? '')
      if (!blank && depth <= indent) break
      if (!blank) last = this.#lineEnd(next)
    }
    return last
  }
}
