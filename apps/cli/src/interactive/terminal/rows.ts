import fastStringWidth from 'fast-string-width'
import { wrapAnsi } from 'fast-wrap-ansi'
import { charactersOf } from './characters.js'

/** Columns that a text takes; colours take none. */
export function widthOf(text: string): number {
  return fastStringWidth(text)
}

/** The rows of a terminal that a line fills, broken between words where that can be. */
function breakLine(line: string, columns: number): readonly string[] {
  const rows = wrapAnsi(line, Math.max(1, columns), { hard: true, trim: false }).split('\n')
  // The blank at which a line was broken would make the next row look indented.
  return rows.map((row, index) => (index === 0 ? row : row.replace(/^ (?=\S)/, '')))
}

/** The rows that a text fills. What a line goes on with stands below its beginning, also if that is indented. */
export function wrap(text: string, columns: number): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const indent = /^ */.exec(line)?.[0] ?? ''
    if (indent.length > columns / 2) return breakLine(line, columns)
    return breakLine(line.slice(indent.length), columns - indent.length).map((row) => indent + row)
  })
}

/** The rows with something in front of the first and something of the same width in front of the others. */
export function hang(
  first: string,
  text: string,
  columns: number,
  others: string = ' '.repeat(widthOf(first)),
): readonly string[] {
  const room = columns - widthOf(first)
  return wrap(text, room).map((row, index) => ((index === 0 ? first : others) + row).trimEnd())
}

/** One row of at most so many columns. */
export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  const room = Math.max(0, columns - 1)
  let width = 0
  let kept = ''
  for (const character of charactersOf(text)) {
    width += widthOf(character)
    if (width > room) break
    kept += character
  }
  return `${kept}…`
}
