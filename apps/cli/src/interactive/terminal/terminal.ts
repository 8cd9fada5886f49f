import { messageOf } from '@ext/kernel'
import { printable } from '../../render/words.js'
import { stopProcess } from '../../stop-process.js'
import type { Paint } from '../draw/paint.js'
import { type Editor, EMPTY, edit, withText } from '../input/editor.js'
import { complete, fitting, type Word } from '../input/hints.js'
import { type History, historyOf, remember, step } from '../input/history.js'
import { inputArea } from '../input/line.js'
import { type Key, readKeys } from './keys.js'
import { cutTo, wrap } from './rows.js'
import { type Area, createScreen } from './screen.js'

/** The terminal of an interactive session: what is written at its bottom, and everything else above that. */
export interface Terminal {
  readonly columns: number
  /** What was sent next; `undefined` once the person has left. */
  next(): Promise<string | undefined>
  print(rows: readonly string[]): void
  /** Text of whatever length, from wherever. */
  say(text: string): void
  /** Leaves the terminal to a question. */
  away<T>(work: () => Promise<T>): Promise<T>
  /** Something is under way from now on that can be interrupted; nothing is, without an argument. */
  working(interrupt?: () => void): void
  /** Draws what is under way anew. */
  refresh(): void
  /** Begins with prompts of earlier sessions. */
  recall(entries: readonly string[]): void
  /** The person is to leave as soon as what is under way has ended. */
  leave(): void
  close(): void
}

export interface TerminalOptions {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  readonly paint: Paint
  /** Rows of what is under way. */
  live(columns: number): readonly string[]
  /** What stands below the input. */
  status(): string
  words(): readonly Word[]
  /** Hears of each line that is sent. */
  sent(text: string): void
}

/** Within this time a second Ctrl+C ends the session. */
const TWICE_MS = 2000
const FRAME_MS = 100
const MOST_HINTS = 6

export function createTerminal(options: TerminalOptions): Terminal {
  const { input, output, paint } = options
  let editor = EMPTY
  let history: History = historyOf([])
  const lines: string[] = []
  let wake: (() => void) | undefined
  let left = false
  let interrupt: (() => void) | undefined
  let armedUntil = 0
  let remark: string | undefined

  const area = (columns: number): Area => {
    const live = options.live(columns)
    const queued = lines.map((line) => paint.dim(cutTo(`  next: ${printable(line.replaceAll('\n', ' '))}`, columns)))
    const below = foot(columns)
    const { rows, cursor } = written(columns)
    const above = [...(live.length > 0 ? live : []), ...queued, '']
    return { rows: [...above, ...rows, ...below], cursor: { ...cursor, row: above.length + cursor.row } }
  }
  /** Drawn again and again while something is under way; a text of many pages is laid out once for that. */
  let laidOut: { readonly of: Editor; readonly columns: number; readonly area: Area } | undefined
  const written = (columns: number): Area => {
    if (laidOut?.of !== editor || laidOut.columns !== columns) {
      laidOut = { of: editor, columns, area: inputArea(editor, '> ', columns) }
    }
    return laidOut.area
  }
  const foot = (columns: number): readonly string[] => {
    if (remark !== undefined) return [paint.warn(cutTo(remark, columns))]
    const hints = fitting(editor.text, options.words())
    if (hints.length > 0) {
      const shown = hints
        .slice(0, MOST_HINTS)
        .map(({ name, summary }) => cutTo(`  ${name.padEnd(14)} ${printable(summary)}`, columns))
      const more = hints.length - shown.length
      return [...shown, ...(more > 0 ? [cutTo(`  … ${more} more`, columns)] : [])].map(paint.dim)
    }
    const help = interrupt ? 'Esc interrupts · ' : ''
    return [paint.dim(cutTo(help + options.status(), columns))]
  }
  const screen = createScreen(output, area)

  const send = () => {
    const { text } = editor
    if (text.trim() === '') return
    editor = EMPTY
    history = remember(history, text)
    options.sent(text)
    lines.push(text)
    wake?.()
  }
  const leave = () => {
    left = true
    wake?.()
  }
  /** Ends what is under way, else what is written, else, the second time, the session. */
  const cancel = () => {
    const twice = performance.now() < armedUntil
    armedUntil = performance.now() + TWICE_MS
    if (twice && editor.text === '') {
      interrupt?.()
      leave()
    } else if (interrupt) {
      lines.length = 0
      interrupt()
    } else if (editor.text !== '') editor = { ...EMPTY, cut: editor.text }
    else remark = 'Ctrl+C once more ends the session.'
  }
  const look = (by: 'older' | 'newer') => {
    const found = step(history, by, editor.text)
    if (!found) return
    history = found.history
    editor = withText(editor, found.text)
  }
  const pressed = (key: Key) => {
    remark = undefined
    const next = edit(editor, key)
    if (next !== editor) editor = next
    else if (key.ctrl && key.name === 'c') cancel()
    else if (key.ctrl && key.name === 'd') leave()
    else if (key.ctrl && key.name === 'z') suspend()
    else if (key.name === 'escape' && interrupt) interrupt()
    else if (key.name === 'return') send()
    else if (key.name === 'tab') editor = withText(editor, complete(editor.text, options.words()))
    else if (key.name === 'up') look('older')
    else if (key.name === 'down') look('newer')
    screen.refresh()
  }
  const keys = readKeys(input, output, { pressed, cursorAt: screen.cursorAt })
  /** As the shell that is underneath expects it of Ctrl+Z. */
  const suspend = () => {
    void screen.away(async () => {
      keys.leave()
      try {
        await stopProcess()
      } catch (error) {
        remark = `This terminal can’t be left: ${messageOf(error)}`
      }
      keys.listen()
    })
  }
  // Whatever ends this process, the terminal is to be as it was.
  const restore = () => keys.leave()
  process.once('exit', restore)
  const clock = setInterval(() => {
    if (interrupt) screen.refresh()
  }, FRAME_MS)
  clock.unref()
  keys.listen()
  screen.refresh()

  return {
    get columns() {
      return screen.columns
    },
    async next() {
      for (;;) {
        if (left) return undefined
        const line = lines.shift()
        screen.refresh()
        if (line !== undefined) return line
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    print: (rows) => screen.print(rows),
    say: (text) => screen.print(wrap(printable(text), screen.columns).map((row) => row.trimEnd())),
    away: (work) =>
      screen.away(async () => {
        keys.leave()
        try {
          return await work()
        } finally {
          keys.listen()
        }
      }),
    working(by) {
      interrupt = by
      screen.refresh()
    },
    refresh: () => screen.refresh(),
    recall(entries) {
      history = historyOf([...entries, ...history.entries])
    },
    leave,
    close() {
      clearInterval(clock)
      screen.close()
      keys.leave()
      process.removeListener('exit', restore)
    },
  }
}
