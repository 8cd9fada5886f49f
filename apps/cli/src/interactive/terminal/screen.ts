import { widthOf } from './rows.js'

/** The rows at the bottom that change, and where the cursor stands in them. */
export interface Area {
  /** None wider than the terminal. */
  readonly rows: readonly string[]
  readonly cursor: { readonly row: number; readonly column: number }
}

/**
 * A terminal to which rows are only ever added, with an area below them that is drawn again and again. So everything can
 * be scrolled back to, copied and piped, and nothing of the terminal's own is taken away.
 */
export interface Screen {
  readonly columns: number
  /** Adds rows above the area, for good. */
  print(rows: readonly string[]): void
  /** The area is another one now. Drawn soon. */
  refresh(): void
  /** Leaves the terminal to somebody who asks; rows wait until the work is done. */
  away<T>(work: () => Promise<T>): Promise<T>
  /** What the terminal has answered when it was asked where the cursor is: its column, from 0. */
  cursorAt(column: number): void
  /** Draws the last rows and takes the area away. */
  close(): void
}

/** Milliseconds between two drawings. */
const PAUSE_MS = 33
/** Milliseconds in which a terminal says where the cursor is, if it does. */
const ANSWER_MS = 150

const ESC = '\u001b['
/** A terminal that knows it shows a drawing at once instead of piece by piece; others ignore it. */
const BEGIN = `${ESC}?2026h${ESC}?25l`
const END = `${ESC}?25h${ESC}?2026l`

/** @param area asked for each drawing, with the columns and rows that there are */
export function createScreen(output: NodeJS.WriteStream, area: (columns: number, rows: number) => Area): Screen {
  let waiting: string[] = []
  let drawn: Area | undefined
  let timer: NodeJS.Timeout | undefined
  let lastMs = Number.NEGATIVE_INFINITY
  let guests = 0
  let closed = false
  /** Draws again once the terminal has said where the cursor is now. */
  let asked: NodeJS.Timeout | undefined

  const size = () => ({ columns: output.columns || 80, rows: output.rows || 24 })
  const draw = (breaks = true) => {
    clearTimeout(timer)
    timer = undefined
    if (guests > 0 || closed) return
    lastMs = performance.now()
    const { columns, rows } = size()
    const next = fitting(area(columns, rows), rows)
    const added = waiting.map((row) => `${row}\r\n`).join('')
    waiting = []
    output.write(BEGIN + erase(drawn, columns, breaks) + added + next.rows.join('\r\n') + toCursor(next) + END)
    drawn = next
  }
  const soon = () => {
    if (closed || guests > 0 || timer || asked) return
    const left = lastMs + PAUSE_MS - performance.now()
    if (left <= 0) draw()
    else timer = setTimeout(draw, left)
  }
  /** Whether a terminal that became narrower has broken the row of the cursor is not the same with all of them. */
  const resized = () => {
    const { columns } = size()
    if (guests > 0 || closed || !drawn || drawn.cursor.column < columns) return soon()
    clearTimeout(asked)
    asked = setTimeout(answered, ANSWER_MS, false)
    output.write(`${ESC}6n`)
  }
  const answered = (breaks: boolean) => {
    clearTimeout(asked)
    asked = undefined
    draw(breaks)
  }
  output.on('resize', resized)
  const leave = () => {
    clearTimeout(timer)
    clearTimeout(asked)
    timer = undefined
    asked = undefined
    const { columns } = size()
    output.write(erase(drawn, columns, true) + waiting.map((row) => `${row}\r\n`).join(''))
    waiting = []
    drawn = undefined
  }
  return {
    get columns() {
      return size().columns
    },
    print(rows) {
      waiting.push(...rows)
      soon()
    },
    refresh: soon,
    async away(work) {
      if (guests++ === 0) leave()
      try {
        return await work()
      } finally {
        if (--guests === 0) soon()
      }
    },
    cursorAt(column) {
      if (asked) answered(drawn !== undefined && column === drawn.cursor.column % size().columns)
    },
    close() {
      if (closed) return
      if (guests === 0) leave()
      closed = true
      output.removeListener('resize', resized)
    },
  }
}

/** What does not fit goes off its top: what is written stands at the bottom. */
function fitting({ rows, cursor }: Area, room: number): Area {
  const over = Math.max(0, rows.length - Math.max(1, room - 1))
  return over === 0
    ? { rows, cursor }
    : { rows: rows.slice(over), cursor: { ...cursor, row: Math.max(0, cursor.row - over) } }
}

function toCursor({ rows, cursor }: Area): string {
  const up = rows.length - 1 - cursor.row
  return `\r${up > 0 ? `${ESC}${up}A` : ''}${cursor.column > 0 ? `${ESC}${cursor.column}C` : ''}`
}

/**
 * From where the cursor was left up to the first row of the area. A terminal that became narrower has broken its rows.
 * @param breaks whether that goes for the row of the cursor as well; better a rest that stays than an answer that is lost
 */
function erase(drawn: Area | undefined, columns: number, breaks: boolean): string {
  if (!drawn) return ''
  const heights = drawn.rows.map((row) => Math.max(1, Math.ceil(widthOf(row) / columns)))
  const above = heights.slice(0, drawn.cursor.row).reduce((sum, height) => sum + height, 0)
  const up = above + (breaks ? Math.floor(drawn.cursor.column / columns) : 0)
  return `${up > 0 ? `${ESC}${up}A` : ''}\r${ESC}J`
}
