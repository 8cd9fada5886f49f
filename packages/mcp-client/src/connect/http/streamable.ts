import type { Remote } from '../../compiled.js'
import type { Carrier, Message, Receiver, RequestId } from '../carrier.js'
import { Fault, type Patience, type Seen, type SessionHost } from '../session.js'
import { Sightings } from '../sightings.js'
import { type Answered, Caller, discard, readText } from './caller.js'
import { Farewell } from './farewell.js'
import { mediaType, Refusal, wrongType } from './faults.js'
import { pause, reopenAfter } from './pause.js'
import { Stream } from './stream.js'

const SESSION = 'mcp-session-id'
/** A cancelled request is let go when the server has heard of it, or after this. */
const CANCEL_MS = 1000
/** How often in a row a request's stream is asked for again in vain. */
const MAX_ATTEMPTS = 5

/**
 * Streamable HTTP. Of our own, because the SDK's leaves a request waiting for ever when its stream ends without an
 * answer, keeps the connection of one that was cancelled, and takes bodies of any size.
 */
export class StreamableCarrier implements Carrier {
  readonly closed: Promise<void>
  readonly #remote: Remote
  readonly #host: SessionHost
  readonly #caller: Caller
  readonly #sightings: Sightings
  readonly #farewell: Farewell
  /** All that is under way, requests by their ids. Not signals of signals, which Node 20 keeps for too long. */
  readonly #open = new Map<unknown, AbortController>()
  #receiver: Receiver | undefined
  #over = () => {}
  #session: string | undefined
  #version: string | undefined
  #deaf: string | undefined
  #lost: string | undefined

  constructor(remote: Remote, host: SessionHost) {
    this.#remote = remote
    this.#host = host
    this.#caller = new Caller(remote, host)
    this.#sightings = new Sightings(host.mask, host.maxMessageBytes)
    this.#farewell = new Farewell(host.clock, (signal) => this.#leave(signal))
    this.closed = new Promise((resolve) => {
      this.#over = resolve
    })
  }

  get seen(): Seen {
    return {
      ...(this.#lost === undefined ? {} : { end: this.#lost }),
      notStarted: false,
      stderrTail: '',
      ...this.#sightings.counts,
      ...(this.#deaf === undefined ? {} : { deaf: this.#deaf }),
    }
  }

  async start(receiver: Receiver): Promise<void> {
    this.#receiver = receiver
  }

  agreed(protocolVersion: string): void {
    this.#version = protocolVersion
  }

  async send(message: Message): Promise<void> {
    if (this.#farewell.begun) throw new Fault('network', 'was closed', { effect: 'none' })
    if (this.#lost !== undefined) throw new Fault('network', this.#lost, { effect: 'none' })
    const { id, method } = message
    if (id !== undefined && method !== undefined) await this.#ask(message, id, method)
    else await this.#tell(message)
  }

  close(patience?: Patience): Promise<void> {
    return this.#farewell.say(patience)
  }

  /** Sends a request. Resolves once its answer is there, or on its way in a stream. */
  async #ask(message: Message, id: RequestId, method: string): Promise<void> {
    const signal = this.#begin(id)
    const request = { id, method, answered: false }
    const stream = new Stream(this.#host, this.#receiver, this.#sightings, signal, request)
    let streaming = false
    try {
      const answered = await this.#post(message, method, signal)
      if (method === 'initialize') this.#session = answered.response.headers.get(SESSION) ?? undefined
      const type = mediaType(answered.response)
      if (type === 'text/event-stream') {
        streaming = true
        void this.#stream(answered, stream, request).finally(() => this.#open.delete(id))
      } else if (type === 'application/json') {
        const text = await readText(answered, this.#host.maxMessageBytes)
        if (text === undefined) throw this.#sightings.addTooLarge()
        stream.take(text)
        if (!request.answered) throw new Fault('protocol', `gave an answer to ${method} that is not MCP`)
      } else {
        await discard(answered.response)
        throw wrongType(answered.response, method)
      }
    } finally {
      if (!streaming) this.#open.delete(id)
    }
  }

  /** Reads the stream of a request until the answer is there, however often the server ends it before. */
  async #stream(answered: Answered, stream: Stream, request: { id: RequestId; method: string; answered: boolean }) {
    let fault = await stream.read(answered)
    for (let failed = 0; stream.lastEventId !== undefined && failed < MAX_ATTEMPTS; ) {
      if (request.answered || stream.signal.aborted) return
      await pause(this.#host.clock, reopenAfter(stream.retryMs, failed), stream.signal)
      const { lastEventId } = stream
      fault = await this.#read(stream)
      if (fault instanceof Refusal && fault.status < 500) break
      failed = fault && stream.lastEventId === lastEventId ? failed + 1 : 0
    }
    if (request.answered || stream.signal.aborted) return
    // Whatever came of asking for the rest: the request itself was taken.
    const options = fault ? { cause: fault, ...(fault.hint === undefined ? {} : { hint: fault.hint }) } : {}
    const early = `ended its answer to ${request.method} too early`
    this.#receiver?.failed(request.id, new Fault('network', fault?.message ?? early, options))
  }

  /** The stream on which the server speaks first. Whatever becomes of it, requests go on. */
  async #listen(): Promise<void> {
    const own = {}
    const signal = this.#begin(own)
    const stream = new Stream(this.#host, this.#receiver, this.#sightings, signal)
    for (let failed = 0; !signal.aborted; ) {
      const before = stream.events
      const fault = await this.#read(stream, () => {
        this.#deaf = undefined
      })
      if (signal.aborted) break
      if (fault instanceof Refusal) this.#deaf = `refused a stream for its own messages (${fault.status})`
      else if (fault) this.#deaf = fault.message
      if (fault?.final || (fault instanceof Refusal && fault.status < 500)) break
      failed = stream.events === before ? failed + 1 : 0
      await pause(this.#host.clock, reopenAfter(stream.retryMs, failed), signal)
    }
    this.#open.delete(own)
  }

  /** Asks for a stream, from where it broke off, and reads it until that connection ends. */
  async #read(stream: Stream, opened?: () => void): Promise<Fault | undefined> {
    const { lastEventId, signal } = stream
    const resume = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
    const headers = { ...this.#headers(), accept: 'text/event-stream', ...resume }
    const what = 'a stream of events'
    try {
      const answered = await this.#caller.ask({ method: 'GET', headers, signal, what })
      if (mediaType(answered.response) !== 'text/event-stream') {
        await discard(answered.response)
        return wrongType(answered.response, `a request for ${what}`)
      }
      opened?.()
      return await stream.read(answered)
    } catch (error) {
      return error as Fault
    }
  }

  /** Sends what gets no answer. */
  async #tell(message: Message): Promise<void> {
    const { method = 'an answer', params } = message
    const own = {}
    const signal = this.#begin(own)
    const cancelled =
      method === 'notifications/cancelled' ? (params as { readonly requestId?: RequestId })?.requestId : undefined
    const request = cancelled === undefined ? undefined : this.#open.get(cancelled)
    const cancelTimer = request && this.#host.clock.after(CANCEL_MS, () => request.abort())
    try {
      const { response } = await this.#post(message, method, signal)
      await discard(response)
    } finally {
      cancelTimer?.()
      request?.abort()
      this.#open.delete(own)
    }
    if (method === 'notifications/initialized' && this.#remote.listen === 'auto') void this.#listen()
  }

  async #post(message: Message, what: string, signal: AbortSignal): Promise<Answered> {
    const accept = 'application/json, text/event-stream'
    const headers = { ...this.#headers(), 'content-type': 'application/json', accept }
    try {
      return await this.#caller.ask({ method: 'POST', headers, body: JSON.stringify(message), signal, what })
    } catch (error) {
      throw this.#session !== undefined && isLoss(error) ? this.#lose(error) : error
    }
  }

  /** The server was restarted, or has forgotten the session; it has done nothing. */
  #lose(cause: unknown): Fault {
    this.#lost ??= 'no longer knows the session'
    this.#over()
    return new Fault('network', this.#lost, { cause, effect: 'none' })
  }

  async #leave(signal: AbortSignal): Promise<void> {
    for (const controller of this.#open.values()) controller.abort()
    if (this.#session !== undefined && this.#lost === undefined) {
      try {
        const headers = this.#headers()
        const { response } = await this.#caller.ask({ method: 'DELETE', headers, signal, what: 'the end' })
        await discard(response)
      } catch {
        // A server need not be told; it forgets the session by itself.
      }
    }
    this.#over()
  }

  #begin(key: unknown): AbortSignal {
    const controller = new AbortController()
    this.#open.set(key, controller)
    return controller.signal
  }

  #headers(): Record<string, string> {
    return {
      ...(this.#session === undefined ? {} : { [SESSION]: this.#session }),
      ...(this.#version === undefined ? {} : { 'mcp-protocol-version': this.#version }),
    }
  }
}

/** 404 is what MCP asks for; servers made after the SDK's example answer 400 with a text. */
function isLoss(error: unknown): boolean {
  if (!(error instanceof Refusal)) return false
  return error.status === 404 || (error.status === 400 && /session|not initialized/i.test(error.message))
}
