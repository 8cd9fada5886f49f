import type { RunningProcess } from '@ext/kernel/types'
import { plain, ServerLog } from './log.js'
import type { Patience, Seen, SessionHost } from './session.js'

const JUNK_SAMPLE = 80
const PATIENCE: Patience = { waitMs: 1000, graceMs: 2000 }

/** The process of one server, and what was seen of it. */
export class ServerChild {
  readonly process: RunningProcess
  readonly exited: Promise<void>
  readonly #mask: (text: string) => string
  readonly #log: ServerLog
  #end: string | undefined
  #notStarted = false
  #junk = { lines: 0, first: '' }
  #tooLarge = 0
  #stopping: Promise<void> | undefined

  constructor(process: RunningProcess, host: Pick<SessionHost, 'mask' | 'onLog'>) {
    this.process = process
    this.#mask = host.mask
    this.#log = new ServerLog(host.mask, host.onLog)
    process.onStderr((chunk) => this.#log.push(chunk))
    this.exited = process.exited.then(({ exitCode, signal, message }) => {
      this.#log.end()
      this.#notStarted = message !== undefined
      this.#end = message ?? (signal ? `was ended by ${signal}` : `exited with code ${exitCode}`)
    })
  }

  get seen(): Seen {
    return {
      ...(this.#end === undefined ? {} : { end: this.#end }),
      notStarted: this.#notStarted,
      stderrTail: this.#log.tail,
      junk: this.#junk,
      tooLarge: this.#tooLarge,
    }
  }

  countJunk(line: string): void {
    const { lines, first } = this.#junk
    this.#junk = { lines: lines + 1, first: lines === 0 ? this.#mask(plain(line)).slice(0, JUNK_SAMPLE) : first }
  }

  countTooLarge(): void {
    this.#tooLarge++
  }

  stop(patience?: Patience): Promise<void> {
    if (!this.#stopping || patience) this.#stopping = this.process.stop(patience ?? PATIENCE)
    return this.#stopping
  }
}
