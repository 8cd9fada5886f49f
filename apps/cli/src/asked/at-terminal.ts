import { PassThrough, type Readable } from 'node:stream'
import type { ReadStream } from 'node:tty'
import { stopProcess } from '../stop-process.js'

/** Where a question is asked. */
export interface AtTerminal {
  readonly input: Readable
  readonly output: typeof process.stderr
}

/**
 * For one question: the terminal, with keys for which `readline` would close itself, and nobody would ever get an answer.
 * Ctrl+D is taken for Ctrl+C, and Ctrl+Z stops this process only where somebody can have it go on.
 */
export function atTerminal(): AtTerminal {
  return { input: new QuestionInput(process.stdin), output: process.stderr }
}

/** Reads from the terminal from when it is set to raw mode until it is set back, as whoever asks does. */
class QuestionInput extends PassThrough {
  readonly isTTY = true
  readonly #terminal: ReadStream
  #isOpen = false

  constructor(terminal: ReadStream) {
    super()
    this.#terminal = terminal
  }

  setRawMode(isOn: boolean): this {
    if (isOn === this.#isOpen) return this
    this.#isOpen = isOn
    this.#listen(isOn)
    return this
  }

  #listen(isOn: boolean): void {
    if (isOn) {
      this.#terminal.setRawMode(true)
      this.#terminal.on('data', this.#take)
      this.#terminal.resume()
    } else {
      this.#terminal.removeListener('data', this.#take)
      this.#terminal.pause()
      this.#terminal.setRawMode(false)
    }
  }

  readonly #take = (chunk: Buffer): void => {
    // None of these bytes is ever a part of a longer character.
    const keys = chunk.toString('latin1').replaceAll('\u0004', '\u0003')
    const others = keys.replaceAll('\u001a', '')
    if (others !== '') this.write(Buffer.from(others, 'latin1'))
    if (others.length < keys.length) void this.#stop()
  }

  async #stop(): Promise<void> {
    this.#listen(false)
    await stopProcess().catch(() => {})
    if (this.#isOpen) this.#listen(true)
  }
}
