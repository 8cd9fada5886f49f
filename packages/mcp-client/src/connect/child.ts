import type { RunningProcess } from '@ext/kernel/types'
import type { Seen } from './port.js'

const STDERR_TAIL = 4096
const JUNK_SAMPLE = 80
/** After stdin was closed. */
const WAIT_MS = 1000
/** Between TERM and KILL. */
const GRACE_MS = 2000

/** The process of one server, and what was seen of it. */
export class ServerChild {
  readonly process: RunningProcess
  readonly exited: Promise<void>
  readonly #decoder = new TextDecoder()
  #stderr = ''
  #end: string | undefined
  #notStarted = false
  #junk = { lines: 0, first: '' }
  #tooLarge = 0
  #stopping: Promise<void> | undefined

  constructor(process: RunningProcess) {
    this.process = process
    process.onStderr((chunk) => {
      this.#stderr = (this.#stderr + this.#decoder.decode(chunk, { stream: true })).slice(-STDERR_TAIL)
    })
    this.exited = process.exited.then(({ exitCode, signal, message }) => {
      this.#notStarted = message !== undefined
      this.#end = message ?? (signal ? `was ended by ${signal}` : `exited with code ${exitCode}`)
    })
  }

  get seen(): Seen {
    return {
      ...(this.#end === undefined ? {} : { end: this.#end }),
      notStarted: this.#notStarted,
      stderrTail: plain(this.#stderr),
      junk: this.#junk,
      tooLarge: this.#tooLarge,
    }
  }

  countJunk(line: string): void {
    const { lines, first } = this.#junk
    this.#junk = { lines: lines + 1, first: lines === 0 ? plain(line).slice(0, JUNK_SAMPLE) : first }
  }

  countTooLarge(): void {
    this.#tooLarge++
  }

  stop(): Promise<void> {
    this.#stopping ??= this.process.stop({ waitMs: WAIT_MS, graceMs: GRACE_MS })
    return this.#stopping
  }
}

/** What a server writes can end up in a terminal, where escape sequences act. */
function plain(text: string): string {
  return text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
}
