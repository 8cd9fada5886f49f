import type { Remote } from '../../compiled.js'
import type { Carrier, Message, Receiver } from '../carrier.js'
import { Fault, type Patience, type Seen, type SessionHost } from '../session.js'
import { Sightings } from '../sightings.js'
import { type Answered, Caller, discard } from './caller.js'
import type { ServerEvent } from './events.js'
import { Farewell } from './farewell.js'
import { mediaType, shown, wrongType } from './faults.js'
import { Stream } from './stream.js'

/**
 * HTTP with server-sent events, as MCP had it before Streamable HTTP: all answers come on one stream, which also names
 * the address for requests. When it ends, so does the session. Of our own, because the SDK's opens it again by itself,
 * and the server takes that for a client that has never shaken hands.
 */
export class SseCarrier implements Carrier {
  readonly closed: Promise<void>
  readonly #host: SessionHost
  readonly #caller: Caller
  readonly #sightings: Sightings
  readonly #farewell: Farewell
  readonly #open = new Set<AbortController>()
  #over = () => {}
  #endpoint: URL | undefined
  #version: string | undefined
  #end: string | undefined

  constructor(remote: Remote, host: SessionHost) {
    this.#host = host
    this.#caller = new Caller(remote, host)
    this.#sightings = new Sightings(host.mask, host.maxMessageBytes)
    this.#farewell = new Farewell(host.clock, async () => {
      for (const controller of this.#open) controller.abort()
      this.#over()
    })
    this.closed = new Promise((resolve) => {
      this.#over = resolve
    })
  }

  get seen(): Seen {
    const end = this.#end === undefined ? {} : { end: this.#end }
    return { ...end, notStarted: false, stderrTail: '', ...this.#sightings.counts }
  }

  /** Resolves when the server has named the address for requests. */
  async start(receiver: Receiver): Promise<void> {
    const own = this.#begin()
    const what = 'a stream of events'
    const headers = { accept: 'text/event-stream' }
    const answered = await this.#caller.ask({ method: 'GET', headers, signal: own.signal, what })
    if (mediaType(answered.response) !== 'text/event-stream') {
      await discard(answered.response)
      throw wrongType(answered.response, `a request for ${what}`)
    }
    const stream = new Stream(this.#host, receiver, this.#sightings, own.signal)
    await new Promise<void>((resolve, reject) => {
      const onEvent = ({ type, data }: ServerEvent) => {
        if (type === 'message') stream.take(data)
        if (type !== 'endpoint' || this.#endpoint) return
        try {
          this.#endpoint = endpointOf(data, answered, this.#host.mask)
          resolve()
        } catch (error) {
          own.abort()
          reject(error)
        }
      }
      void stream.read(answered, onEvent).then((fault) => {
        this.#open.delete(own)
        if (!this.#farewell.begun) this.#end = fault ? fault.message : 'ended the connection'
        const ended = new Fault('network', this.#end ?? 'was closed', fault ? { cause: fault } : {})
        reject(ended)
        receiver.ended(ended)
        this.#over()
      })
    })
  }

  agreed(protocolVersion: string): void {
    this.#version = protocolVersion
  }

  async send(message: Message): Promise<void> {
    const url = this.#endpoint
    if (!url || this.#end !== undefined || this.#farewell.begun) {
      throw new Fault('network', this.#end ?? 'was closed', { effect: 'none' })
    }
    const own = this.#begin()
    const version = this.#version === undefined ? {} : { 'mcp-protocol-version': this.#version }
    const headers = { 'content-type': 'application/json', accept: 'application/json', ...version }
    const { method: what = 'an answer' } = message
    try {
      const body = JSON.stringify(message)
      const { response } = await this.#caller.ask({ url, method: 'POST', headers, body, signal: own.signal, what })
      await discard(response)
    } finally {
      this.#open.delete(own)
    }
  }

  close(patience?: Patience): Promise<void> {
    return this.#farewell.say(patience)
  }

  #begin(): AbortController {
    const controller = new AbortController()
    this.#open.add(controller)
    return controller
  }
}

/** Requests carry the credentials of the entry, so they go to the host that was configured and to no other. */
function endpointOf(data: string, { url }: Answered, mask: (text: string) => string): URL {
  const endpoint = URL.canParse(data, url.href) ? new URL(data, url) : undefined
  if (endpoint && endpoint.origin === url.origin) return endpoint
  const where = endpoint ? mask(shown(endpoint)) : 'an address that can not be read'
  throw new Fault('protocol', `wants its requests at ${where}, which is another host`, { final: true })
}
