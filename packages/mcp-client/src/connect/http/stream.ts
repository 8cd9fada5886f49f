import { isMap } from '@ext/kernel'
import type { Receiver, RequestId } from '../carrier.js'
import { answeredAtEnd, answeredAtStart } from '../frame.js'
import type { Fault, SessionHost } from '../session.js'
import type { Sightings } from '../sightings.js'
import type { Answered } from './caller.js'
import { readEvents, type ServerEvent } from './events.js'
import { unreachable } from './faults.js'

/** A stream of messages from the server, over all the connections that it takes. */
export class Stream {
  readonly signal: AbortSignal
  /** From where it is taken up again. */
  lastEventId: string | undefined
  /** When it is taken up again, if the server says so. */
  retryMs: number | undefined
  /** How many have come. */
  events = 0
  readonly #maxBytes: number
  readonly #receiver: Receiver | undefined
  readonly #sightings: Sightings
  readonly #request: { readonly id: RequestId; answered: boolean } | undefined

  /** @param request the one that it answers; `answered` is set when that has happened */
  constructor(
    host: Pick<SessionHost, 'maxMessageBytes'>,
    receiver: Receiver | undefined,
    sightings: Sightings,
    signal: AbortSignal,
    request?: { readonly id: RequestId; answered: boolean },
  ) {
    this.#maxBytes = host.maxMessageBytes
    this.#receiver = receiver
    this.#sightings = sightings
    this.signal = signal
    this.#request = request
  }

  /**
   * Reads one connection to its end.
   * @param onEvent takes an event instead
   * @returns why it broke, if it did
   */
  async read({ response, url }: Answered, onEvent?: (event: ServerEvent) => void): Promise<Fault | undefined> {
    let failed = false
    const fail = (id: RequestId | undefined, fault: Fault) => {
      failed = id !== undefined
      if (id === undefined) return
      if (id === this.#request?.id) this.#request.answered = true
      this.#receiver?.failed(id, fault)
    }
    try {
      await readEvents(response.body, this.#maxBytes, {
        event: (event) => {
          this.events++
          if (onEvent) onEvent(event)
          // Without data it only brings an id.
          else if (event.type === 'message' && event.data !== '') this.take(event.data)
        },
        id: (id) => {
          this.lastEventId = id
        },
        retry: (ms) => {
          this.retryMs = ms
        },
        tooLong: (start) => fail(answeredAtStart(start), this.#sightings.addTooLarge()),
        tooLongEnded: (end) => {
          // What a request's own stream brings is its answer, if nothing says otherwise.
          if (!failed) fail(answeredAtEnd(end) ?? this.#request?.id, this.#sightings.tooLarge())
        },
      })
      return undefined
    } catch (error) {
      return unreachable(error, url)
    }
  }

  /** Takes one message or, as older servers may send it, a list of them. */
  take(text: string): void {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      this.#sightings.addJunk(text)
      return
    }
    const request = this.#request
    for (const each of Array.isArray(value) ? value : [value]) {
      if (request && isMap(each) && each['id'] === request.id && !('method' in each)) request.answered = true
      if (!this.#receiver?.message(each, request?.id)) this.#sightings.addJunk(JSON.stringify(each))
    }
  }
}
