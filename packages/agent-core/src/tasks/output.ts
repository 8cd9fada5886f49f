import { messageOf } from '@ext/kernel'
import { attempt, whenRejected } from '../signals.js'
import type { TaskFile } from './files.js'

/** Characters that are kept in memory. */
const KEPT = 64 * 1024

/** What a task has written: its newest part in memory, all of it in a file once it is more than that. */
export class TaskOutput {
  #text = ''
  #length = 0
  #seen = 0
  #file: TaskFile | undefined
  #problem: string | undefined
  readonly #open: () => TaskFile | undefined

  /** @param open opens the file, if there are any; called once at most */
  constructor(open: () => TaskFile | undefined) {
    this.#open = open
  }

  /** Characters in all. */
  get length(): number {
    return this.#length
  }

  write(text: string): void {
    if (text === '') return
    const whole = this.#text + text
    if (this.#length <= KEPT && this.#length + text.length > KEPT) this.#spill(whole, true)
    else if (this.#length > KEPT) this.#spill(text, false)
    this.#length += text.length
    // Cut once it is twice as much as is needed, so that each character is copied once.
    this.#text = whole.length > 2 * KEPT ? tailOf(whole, KEPT) : whole
  }

  /** No more comes. */
  close(): void {
    attempt(() => this.#file?.close(), this.#fail)
  }

  /** What nobody has seen yet, at most so many characters of its end. */
  unseen(most: number): string {
    return this.#end(this.#length - this.#seen, most)
  }

  /** From now on all of it counts as seen. */
  see(): void {
    this.#seen = this.#length
  }

  /** The end of all that was written. */
  last(most: number): string {
    return this.#end(this.#length, most)
  }

  #end(wanted: number, most: number): string {
    const text = tailOf(this.#text, Math.min(wanted, most, KEPT))
    // Half a character may be missing.
    if (text.length >= wanted - 1) return text
    return `[${wanted - text.length} characters before this are left out${this.#where()}]\n${text}`
  }

  readonly #fail = (error: unknown): void => {
    this.#problem ??= messageOf(error)
  }

  #where(): string {
    if (this.#problem !== undefined) return `, and could not be kept: ${this.#problem}`
    return this.#file ? `; all of it is in ${this.#file.path}` : ''
  }

  #spill(text: string, first: boolean): void {
    if (this.#problem !== undefined) return
    attempt(() => {
      if (first) {
        const file = this.#open()
        whenRejected(file, () => {})
        this.#file = file
      }
      return this.#file?.write(text)
    }, this.#fail)
  }
}

/** Not from the middle of a character on. */
export function tailOf(text: string, length: number): string {
  if (text.length <= length) return text
  const start = text.length - length
  return /[\uDC00-\uDFFF]/.test(text.charAt(start)) ? text.slice(start + 1) : text.slice(start)
}
