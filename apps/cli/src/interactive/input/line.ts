import { charactersOf } from '../terminal/characters.js'
import { widthOf } from '../terminal/rows.js'
import type { Area } from '../terminal/screen.js'
import type { Editor } from './editor.js'

/** Rows of the input that are shown at a time. */
const MOST_ROWS = 10

/**
 * The rows of what is being written. Broken between characters, not words, so that the cursor is where the next one goes.
 * @param mark in front of the first row
 */
export function inputArea({ text, cursor }: Editor, mark: string, columns: number): Area {
  const indent = ' '.repeat(widthOf(mark))
  const room = Math.max(1, columns - indent.length - 1)
  const rows: string[] = []
  let at = { row: 0, column: indent.length }
  let row = ''
  let width = 0
  let index = 0
  const end = () => {
    rows.push((rows.length === 0 ? mark : indent) + row)
    row = ''
    width = 0
  }
  for (const segment of charactersOf(text)) {
    const wide = segment === '\n' ? 0 : widthOf(segment)
    if (width + wide > room) end()
    if (index === cursor) at = { row: rows.length, column: indent.length + width }
    index += segment.length
    if (segment === '\n') end()
    else {
      row += segment
      width += wide
    }
  }
  if (cursor >= text.length) at = { row: rows.length, column: indent.length + width }
  end()
  const first = Math.max(0, Math.min(at.row - MOST_ROWS + 1, rows.length - MOST_ROWS))
  return { rows: rows.slice(first, first + MOST_ROWS), cursor: { row: at.row - first, column: at.column } }
}
