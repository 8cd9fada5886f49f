/** More words than this are not built; the word then counts as unknown. */
const MAX_WORDS = 64

/**
 * The words that brace expansion makes of one, all still in source form. Quotes and substitutions are passed over.
 * `undefined` when they would be too many.
 */
export function expandBraces(text: string): readonly string[] | undefined {
  for (let at = 0; at < text.length; at++) {
    at = skip(text, at)
    if (text[at] !== '{') continue
    const group = readGroup(text, at)
    if (!group) continue
    const tails = expandBraces(text.slice(group.end))
    const words: string[] = []
    for (const item of group.items) {
      const heads = group.sequence ? [item] : expandBraces(item)
      for (const head of heads ?? []) for (const tail of tails ?? []) words.push(text.slice(0, at) + head + tail)
      if (!heads || !tails || words.length > MAX_WORDS) return undefined
    }
    return words
  }
  return [text]
}

interface Group {
  readonly items: readonly string[]
  readonly sequence: boolean
  readonly end: number
}

function readGroup(text: string, start: number): Group | undefined {
  const commas: number[] = []
  let depth = 0
  for (let at = start; at < text.length; at++) {
    at = skip(text, at)
    if (text[at] === '{') depth++
    else if (text[at] === ',' && depth === 1) commas.push(at)
    else if (text[at] === '}' && --depth === 0) {
      const bounds = [start, ...commas, at]
      if (commas.length > 0) {
        const items = bounds.slice(1).map((end, index) => text.slice((bounds[index] ?? start) + 1, end))
        return { items, sequence: false, end: at + 1 }
      }
      const items = sequence(text.slice(start + 1, at))
      return items && { items, sequence: true, end: at + 1 }
    }
  }
  return undefined
}

function sequence(body: string): readonly string[] | undefined {
  const [, from = '', to = '', by = '1'] = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/.exec(body) ?? []
  if (from === '') return undefined
  const letters = /[A-Za-z]/.test(from)
  if (letters !== /[A-Za-z]/.test(to)) return undefined
  const [first, last] = letters ? [from.charCodeAt(0), to.charCodeAt(0)] : [Number(from), Number(to)]
  const step = Math.abs(Number(by)) || 1
  const count = Math.min(Math.floor(Math.abs(last - first) / step) + 1, MAX_WORDS + 1)
  const width = /^-?0\d|^-?0\d/.test(`${from} ${to}`) ? Math.max(from.length, to.length) : 0
  return Array.from({ length: count }, (_, index) => {
    const value = first + (last < first ? -step : step) * index
    return letters ? String.fromCharCode(value) : String(value).padStart(width, '0')
  })
}

/** The place behind a quote, an escape or a substitution that begins here; the same place if none does. */
function skip(text: string, start: number): number {
  let at = start
  for (;;) {
    const char = text[at]
    if (char === '\\') at += 2
    else if (char === "'") at = closing(text, text.indexOf("'", at + 1))
    else if (char === '"' || char === '`') at = quoted(text, at, char)
    else if (char === '$' && (text[at + 1] === '{' || text[at + 1] === '(')) at = nested(text, at + 1)
    else return at
  }
}

function closing(text: string, at: number): number {
  return at === -1 ? text.length : at + 1
}

function quoted(text: string, start: number, quote: string): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === quote) return at + 1
  }
  return text.length
}

function nested(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (char === '\\') at++
    else if (char === "'" && text[start] === '(') at = closing(text, text.indexOf("'", at + 1)) - 1
    else if (char === '"') at = quoted(text, at, char) - 1
    else if (char === '{' || char === '(') depth++
    else if ((char === '}' || char === ')') && --depth === 0) return at + 1
  }
  return text.length
}
