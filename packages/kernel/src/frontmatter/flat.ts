import type { Span } from '../document/locate.js'
import type { Parsed } from '../document/parsed.js'

interface Field {
  readonly key: Span
  readonly value: Span
}

/**
 * Reads a header whose lines are all `key: scalar`, as most are, without loading the YAML parser. It takes only what
 * can't mean anything else, and property tests hold it equal to the parser in values, types and places.
 * @returns `undefined` for any other header
 */
export function readFlat(text: string): Parsed | undefined {
  const fields = new Map<string, Field>()
  const values: [string, string | boolean][] = []
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf('\n', start)
    const next = feed === -1 ? text.length : feed + 1
    const line = feed === -1 ? text.slice(start) : text.slice(start, feed).replace(/\r$/, '')
    const [head, key] = /^([A-Za-z][A-Za-z0-9_-]{0,63}): +/.exec(line) ?? []
    if (head === undefined || key === undefined || fields.has(key) || KEYWORD.test(key)) return undefined
    const written = line.slice(head.length).replace(/ +$/, '')
    const value = readScalar(written)
    if (value === undefined) return undefined
    const end = start + head.length + written.length
    fields.set(key, { key: [start, start + key.length], value: [start + head.length, end] })
    values.push([key, value])
    start = next
  }
  if (values.length === 0) return undefined
  return {
    value: Object.fromEntries(values),
    problems: [],
    locate([key, ...deeper], part) {
      if (key === undefined) return part === 'value' ? [0, text.length] : undefined
      return deeper.length === 0 ? fields.get(key)?.[part] : undefined
    },
  }
}

const KEYWORD = /^(?:true|false|null)$/i

/** A word or more without anything that YAML reads as a sign, quotes without escapes, or a boolean. */
function readScalar(text: string): string | boolean | undefined {
  if (/[\0-\x1f\x7f-\x9f\u2028\u2029\ufeff]/.test(text)) return undefined
  if (/^'[^']*'$|^"[^"\\]*"$/.test(text)) return text.slice(1, -1)
  if (!/^[\p{L}]/u.test(text) || /: |:$| #/.test(text)) return undefined
  if (KEYWORD.test(text)) return text === 'true' ? true : text === 'false' ? false : undefined
  return text
}
