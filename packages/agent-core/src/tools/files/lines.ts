import type { OpenFile } from '@ext/kernel/types'
import type { TextFormat } from './text-format.js'

/** A longer line is cut. Characters. */
export const MAX_LINE = 2000

const CHUNK_BYTES = 256 * 1024

/** Lines of a file, as they are shown. */
export interface Lines {
  readonly lines: readonly string[]
  /** Of the first one. */
  readonly first: number
  /** How many the whole file has; `undefined` when it was not read to its end. */
  readonly total: number | undefined
  /** Numbers of lines that were cut. */
  readonly cut: readonly number[]
  /** Bytes were no characters of the encoding. */
  readonly invalid: boolean
  readonly crlf: boolean
  /** The last line has a line break; of use only if the file was read to its end. */
  readonly endsWithBreak: boolean
}

export interface LineRange {
  readonly first: number
  readonly most: number
  readonly characters: number
}

/** Takes the lines of a range out of texts that come one after another. */
class LineTaker {
  readonly lines: string[] = []
  readonly cut: number[] = []
  crlf = false
  invalid = false
  /** Of the line that is under way. */
  number = 1
  #start = ''
  #length = 0
  #room: number
  readonly #range: LineRange

  constructor(range: LineRange) {
    this.#range = range
    this.#room = range.characters
  }

  /** Nothing more is wanted, and something is left. */
  get isFull(): boolean {
    return this.lines.length >= this.#range.most || this.#room <= 0
  }

  get isInLine(): boolean {
    return this.#length > 0
  }

  push(text: string): void {
    this.invalid ||= text.includes('\uFFFD')
    let from = 0
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
      this.#extend(text, from, at)
      this.#close()
      from = at + 1
      if (this.isFull) {
        // Whether anything follows is all that is left to know.
        this.#length = text.length - from
        return
      }
    }
    this.#extend(text, from, text.length)
  }

  finish(): void {
    if (this.isInLine && !this.isFull) this.#close()
  }

  #extend(text: string, from: number, to: number): void {
    const room = MAX_LINE + 1 - this.#start.length
    if (room > 0 && this.number >= this.#range.first) this.#start += text.slice(from, Math.min(to, from + room))
    this.#length += to - from
  }

  #close(): void {
    if (this.number >= this.#range.first) {
      if (this.#start.length === this.#length && this.#start.endsWith('\r')) {
        this.crlf = true
        this.#start = this.#start.slice(0, -1)
      }
      const isLong = this.#start.length > MAX_LINE
      const line = isLong ? this.#start.slice(0, MAX_LINE) : this.#start
      if (isLong) this.cut.push(this.number)
      this.lines.push(line)
      this.#room -= line.length + 1
    }
    this.#start = ''
    this.#length = 0
    this.number++
  }
}

/** The lines of a text that is there as a whole. */
export function linesOf(text: string, range: LineRange): Lines {
  const taker = new LineTaker(range)
  taker.push(text)
  taker.finish()
  let total = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) total++
  const endsWithBreak = text.endsWith('\n')
  if (text !== '' && !endsWithBreak) total++
  return resultOf(taker, range, total, endsWithBreak)
}

/** The same of a file of any size, of which no more is held than the lines that are wanted. */
export async function readLines(
  file: OpenFile,
  format: TextFormat,
  range: LineRange,
  signal: AbortSignal,
): Promise<Lines> {
  const taker = new LineTaker(range)
  const decoder = new TextDecoder(format.encoding, { ignoreBOM: true })
  let at: number = format.mark
  let endsWithBreak = false
  while (!taker.isFull) {
    signal.throwIfAborted()
    const bytes = await file.read(at, CHUNK_BYTES)
    const isEnd = bytes.length < CHUNK_BYTES
    const text = decoder.decode(bytes, { stream: !isEnd })
    if (text !== '') endsWithBreak = text.endsWith('\n')
    taker.push(text)
    at += bytes.length
    if (!isEnd) continue
    if (taker.isFull) return resultOf(taker, range, taker.isInLine ? undefined : taker.number - 1, endsWithBreak)
    taker.finish()
    return resultOf(taker, range, taker.number - 1, endsWithBreak)
  }
  return resultOf(taker, range, undefined, endsWithBreak)
}

function resultOf(taker: LineTaker, range: LineRange, total: number | undefined, endsWithBreak: boolean): Lines {
  const { lines, cut, invalid, crlf } = taker
  return { lines, first: range.first, total, cut, invalid, crlf, endsWithBreak }
}

/** Lines with their numbers, as the model reads them. */
export function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`).join('\n')
}
