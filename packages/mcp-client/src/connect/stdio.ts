import type { ClockPort } from '@ext/kernel/types'
import type { Launch } from '../compiled.js'
import type { Carrier, Message, Receiver, RequestId } from './carrier.js'
import { ServerChild } from './child.js'
import { answeredAtEnd, answeredAtStart } from './frame.js'
import { LineSplitter } from './lines.js'
import { Fault, type Patience, type Seen, type SessionHost } from './session.js'

/** Between the end of its input and its own, in milliseconds. */
const EXIT_MS = 200

/**
 * JSON-RPC over the pipes of a child. Of our own, because the SDK's leaves grandchildren behind, ends the connection
 * on a result over 10 MB, and keeps quiet about exit codes.
 */
export class StdioCarrier implements Carrier {
  readonly closed: Promise<void>
  readonly #child: ServerChild
  readonly #maxBytes: number
  readonly #clock: ClockPort
  /** Requests that are not written as a whole. */
  readonly #writing = new Set<RequestId>()
  #closing = false

  /** Starts the server. */
  constructor(launch: Launch, host: SessionHost) {
    this.#child = new ServerChild(host.process.start(launch), host)
    this.#maxBytes = host.maxMessageBytes
    this.#clock = host.clock
    this.closed = this.#child.exited
  }

  get seen(): Seen {
    return this.#child.seen
  }

  async start(receiver: Receiver): Promise<void> {
    const { sightings } = this.#child
    const failed = (id: RequestId | undefined, fault: Fault) => {
      if (id !== undefined) receiver.failed(id, fault)
    }
    const lines = new LineSplitter(this.#maxBytes, {
      line: (line) => this.#read(line, receiver),
      tooLong: (start) => failed(answeredAtStart(start), sightings.addTooLarge()),
      tooLongEnded: (end) => failed(answeredAtEnd(end), sightings.tooLarge()),
    })
    this.#child.process.onStdout((chunk) => lines.push(chunk))
    void this.#child.exited.then(() => {
      // What is still being written then is not whole, so the server can't have read it as a message.
      for (const id of this.#writing) receiver.failed(id, this.#gone('none'))
      receiver.ended(this.#gone('unknown'))
    })
  }

  async send(message: Message): Promise<void> {
    if (this.#closing || this.#child.end !== undefined) throw this.#gone('none')
    // The ids of answers are the server's.
    const id = message.method === undefined ? undefined : message.id
    const text = `${JSON.stringify(message)}\n`
    if (id !== undefined) this.#writing.add(id)
    const written = await this.#child.process.write(text)
    // Most often it is about to end, which says more.
    if (!written) await this.#exitWithin(EXIT_MS)
    if (id !== undefined) this.#writing.delete(id)
    if (!written) throw this.#gone('none')
  }

  close(patience?: Patience): Promise<void> {
    this.#closing = true
    return this.#child.stop(patience)
  }

  #read(line: string, receiver: Receiver): void {
    if (line.trim() === '') return
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      this.#child.sightings.addJunk(line)
      return
    }
    if (!receiver.message(value)) this.#child.sightings.addJunk(line)
  }

  #exitWithin(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ms, resolve)
      void this.#child.exited.then(() => {
        cancel()
        resolve()
      })
    })
  }

  #gone(effect: Fault['effect']): Fault {
    const { end, notStarted } = this.#child
    if (end === undefined) {
      return new Fault('network', this.#closing ? 'was closed' : 'does not read its input any more', { effect })
    }
    if (!notStarted) return new Fault('network', end, { effect })
    const hint =
      'Check `command` and `cwd`: the program has to be on PATH or be written as a path; arguments go into `args`.'
    return new Fault('network', end, { effect: 'none', final: true, hint })
  }
}
