import type { RunningProcess } from '@ext/kernel/types'
import { ServerLog } from './log.js'
import type { Patience, Seen, SessionHost } from './session.js'
import { Sightings } from './sightings.js'

const PATIENCE: Patience = { waitMs: 1000, graceMs: 2000 }

/** The process of one server, and what was seen of it. */
export class ServerChild {
  readonly process: RunningProcess
  readonly exited: Promise<void>
  readonly sightings: Sightings
  readonly #log: ServerLog
  /** How it ended, once it has. */
  end: string | undefined
  notStarted = false
  #stopping: Promise<void> | undefined

  constructor(process: RunningProcess, host: Pick<SessionHost, 'mask' | 'onLog' | 'maxMessageBytes'>) {
    this.process = process
    this.sightings = new Sightings(host.mask, host.maxMessageBytes)
    this.#log = new ServerLog(host.mask, host.onLog)
    process.onStderr((chunk) => this.#log.push(chunk))
    this.exited = process.exited.then(({ exitCode, signal, message }) => {
      this.#log.end()
      this.notStarted = message !== undefined
      this.end = message ?? (signal ? `was ended by ${signal}` : `exited with code ${exitCode}`)
    })
  }

  get seen(): Seen {
    return {
      ...(this.end === undefined ? {} : { end: this.end }),
      notStarted: this.notStarted,
      stderrTail: this.#log.tail,
      ...this.sightings.counts,
    }
  }

  stop(patience?: Patience): Promise<void> {
    if (!this.#stopping || patience) this.#stopping = this.process.stop(patience ?? PATIENCE)
    return this.#stopping
  }
}
