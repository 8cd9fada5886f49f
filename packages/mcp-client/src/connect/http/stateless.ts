import { isMap } from '@ext/kernel'
import type { Remote } from '../../compiled.js'
import type { Carrier, Message, Receiver, RequestId } from '../carrier.js'
import { Fault, type Patience, type Seen, type SessionHost } from '../session.js'
import { Sightings } from '../sightings.js'
import { headerText } from '../stateless/headers.js'
import { REVISION } from '../stateless/meta.js'
import { type Answered, Caller, discard, readText } from './caller.js'
import { Farewell } from './farewell.js'
import { mediaType, Refusal, refusalIn, wrongType } from './faults.js'
import { Stream } from './stream.js'

type Headers = Readonly<Record<string, string>>

/**
 * Streamable HTTP as it is from MCP 2026-07-28 on: each request stands for itself, there is no session to lose and none to
 * end, and whoever lets go of an answer has cancelled its request.
 */
export class StatelessCarrier implements Carrier {
  readonly closed: Promise<void>
  readonly #host: SessionHost
  readonly #caller: Caller
  readonly #sightings: Sightings
  readonly #farewell: Farewell
  readonly #open = new Map<RequestId, AbortController>()
  #receiver: Receiver | undefined
  #over = () => {}
  #version = REVISION

  constructor(remote: Remote, host: SessionHost) {
    this.#host = host
    this.#caller = new Caller(remote, host)
    this.#sightings = new Sightings(host.mask, host.maxMessageBytes)
    this.#farewell = new Farewell(host.clock, async () => {
      for (const controller of this.#open.values()) controller.abort()
      this.#over()
    })
    this.closed = new Promise((resolve) => {
      this.#over = resolve
    })
  }

  get seen(): Seen {
    return { notStarted: false, stderrTail: '', ...this.#sightings.counts }
  }

  async start(receiver: Receiver): Promise<void> {
    this.#receiver = receiver
  }

  agreed(protocolVersion: string): void {
    this.#version = protocolVersion
  }

  async send(message: Message, more: Headers = {}): Promise<void> {
    if (this.#farewell.begun) throw new Fault('network', 'was closed', { effect: 'none' })
    const { id, method, params } = message
    if (id !== undefined && method !== undefined) return this.#ask(message, id, method, more)
    // Nothing else is sent: there are no other notifications over HTTP, and servers ask for nothing.
    if (method === 'notifications/cancelled' && isMap(params)) this.#open.get(params['requestId'] as RequestId)?.abort()
  }

  close(patience?: Patience): Promise<void> {
    return this.#farewell.say(patience)
  }

  /** Resolves once the answer is there, or on its way in a stream. */
  async #ask(message: Message, id: RequestId, method: string, more: Headers): Promise<void> {
    const controller = new AbortController()
    const { signal } = controller
    this.#open.set(id, controller)
    const request = { id, answered: false }
    const stream = new Stream(this.#host, this.#receiver, this.#sightings, signal, request)
    let streaming = false
    try {
      const headers = { ...this.#headers(message, method), ...more }
      const answered = await this.#caller.ask({
        method: 'POST',
        headers,
        body: JSON.stringify(message),
        signal,
        what: method,
      })
      const type = mediaType(answered.response)
      if (type === 'text/event-stream') {
        streaming = true
        void this.#stream(answered, stream, request, method).finally(() => this.#open.delete(id))
      } else if (type === 'application/json') {
        const text = await readText(answered, this.#host.maxMessageBytes)
        if (text === undefined) throw this.#sightings.addTooLarge()
        stream.take(text)
        if (!request.answered) throw new Fault('protocol', `gave an answer to ${method} that is not MCP`)
      } else {
        await discard(answered.response)
        throw wrongType(answered.response, method)
      }
    } catch (error) {
      // These two can stand over an answer; other statuses speak for themselves.
      const refused = error instanceof Refusal && [400, 404].includes(error.status) ? refusalIn(error.body) : undefined
      if (!refused) throw error
      this.#receiver?.message({ jsonrpc: '2.0', id, error: refused })
    } finally {
      if (!streaming) this.#open.delete(id)
    }
  }

  async #stream(answered: Answered, stream: Stream, request: { id: RequestId; answered: boolean }, method: string) {
    const fault = await stream.read(answered)
    if (request.answered || stream.signal.aborted) return
    const options = fault ? { cause: fault, ...(fault.hint === undefined ? {} : { hint: fault.hint }) } : {}
    const message = fault?.message ?? `ended its answer to ${method} too early`
    this.#receiver?.failed(request.id, new Fault('network', message, options))
  }

  /** What the body says, for those on the way who do not read it. */
  #headers({ params }: Message, method: string): Headers {
    const { name, uri } = isMap(params) ? params : {}
    const subject = method === 'resources/read' ? uri : /^(tools\/call|prompts\/get)$/.test(method) ? name : undefined
    return {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': this.#version,
      'mcp-method': method,
      ...(typeof subject === 'string' ? { 'mcp-name': headerText(subject) } : {}),
    }
  }
}
