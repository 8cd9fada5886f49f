import { toLf } from './find-text.js'
import { numbered } from './lines.js'

/** Lines of a larger file are not compared. */
const MAX_LINES = 50_000
/** A longer text is shown in part. */
const SHOWN_LINES = 12
/** Of a line that are compared. */
const COMPARED = 400

/** Says where a text that is not in the file may have been meant to be: with other white space, or nearly. */
export function explainNotFound(text: string, wanted: string): string {
  if (/^\s*\d+\t/.test(wanted) && wanted.split('\n').every((line) => line === '' || /^\s*\d+\t/.test(line))) {
    return 'The line numbers and tabs that Read puts in front are not part of the file; leave them out.'
  }
  const lines = toLf(text).split('\n', MAX_LINES)
  const parts = toLf(wanted).split('\n')
  const spaced = findSpaced(lines, parts)
  if (spaced !== undefined) {
    return `It differs in white space only from these lines; copy them exactly:\n${show(lines, spaced, parts.length)}`
  }
  const near = nearest(lines, parts)
  if (near === undefined) return 'Nothing in the file is like it. Read the file again.'
  return `The nearest lines are:\n${show(lines, near, parts.length)}`
}

function show(lines: readonly string[], start: number, length: number): string {
  return numbered(
    lines.slice(start, start + Math.min(length, SHOWN_LINES)).map((line) => line.slice(0, COMPARED)),
    start + 1,
  )
}

/** The line where all of the wanted ones begin, but for blanks. */
function findSpaced(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const plain = (line: string) => line.replace(/\s+/g, '')
  const all = wanted.map(plain)
  // A text may begin or end in the middle of a line.
  const [first = '', ...others] = all
  const last = others.pop()
  if (all.every((line) => line === '')) return undefined
  const rows = lines.map(plain)
  const at = rows.findIndex((row, start) => {
    if (last === undefined) return row.includes(first)
    return (
      row.endsWith(first) &&
      others.every((line, index) => rows[start + 1 + index] === line) &&
      (rows[start + wanted.length - 1]?.startsWith(last) ?? false)
    )
  })
  return at === -1 ? undefined : at
}

/** Where the wanted lines have most words in common with those that stand there. */
function nearest(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const anchor = wanted.findIndex((line) => wordsOf(line).size > 0)
  const words = wordsOf(wanted[anchor] ?? '')
  let best: { readonly at: number; readonly score: number } | undefined
  for (const [at, line] of lines.entries()) {
    const own = wordsOf(line)
    let common = 0
    for (const word of own) if (words.has(word)) common++
    const score = (2 * common) / (own.size + words.size)
    if (score > (best?.score ?? 0.5)) best = { at: Math.max(0, at - anchor), score }
  }
  return best?.at
}

function wordsOf(line: string): ReadonlySet<string> {
  return new Set(line.slice(0, COMPARED).match(/[\p{L}\p{N}_]+/gu) ?? [])
}
