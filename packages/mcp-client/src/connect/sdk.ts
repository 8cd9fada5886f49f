import { messageOf } from '@ext/kernel'
import type { JsonObject } from '@ext/kernel/contract'
import type { CancelSignal } from '../cancel.js'
import type { Carrier } from './carrier.js'
import type { LoadHandshake } from './handshake.js'
import { LIST_METHODS } from './list.js'
import { type AskOptions, givenUp } from './requests.js'
import {
  Fault,
  type Greeting,
  type ListKind,
  type OfferRequest,
  type Patience,
  type Seen,
  type Session,
  type SessionCallOptions,
  type SessionHost,
} from './session.js'
import { isStateless } from './stateless/meta.js'
import { Stateless } from './stateless/stateless.js'
import { Wire } from './wire.js'

export interface SdkSessionOptions {
  readonly carrier: Carrier
  /** Of the SDK that is underneath. */
  readonly load: LoadHandshake
  /** Whether there are headers. */
  readonly overHttp: boolean
  /** Whether the server is asked to speak first. */
  readonly listens: boolean
}

/** The session on an SDK, which is imported when it is opened. */
export class SdkSession implements Session {
  readonly closed: Promise<void>
  readonly #options: SdkSessionOptions
  readonly #host: SessionHost
  readonly #carrier: Carrier
  readonly #wire: Wire
  #greeting: Greeting | undefined
  /** How a server is spoken to that knows no sessions. */
  #stateless: Stateless | undefined

  constructor(options: SdkSessionOptions, host: SessionHost) {
    this.#options = options
    this.#carrier = options.carrier
    this.#host = host
    this.#wire = new Wire(options.carrier, host)
    this.closed = options.carrier.closed
  }

  get seen(): Seen {
    const deaf = this.#stateless?.deaf
    return deaf === undefined ? this.#carrier.seen : { ...this.#carrier.seen, deaf }
  }

  get mirrors(): boolean {
    return this.#stateless?.mirrors ?? false
  }

  async open(signal: CancelSignal): Promise<Greeting> {
    if (signal.aborted) throw givenUp(signal, 'none')
    let forward = () => {}
    const aborted = new Promise<never>((_resolve, reject) => {
      forward = () => reject(givenUp(signal, 'unknown'))
      signal.addEventListener('abort', forward, { once: true })
    })
    try {
      return await Promise.race([this.#shakeHands(), aborted])
    } catch (error) {
      void this.close()
      throw toFault(error, 'initialize')
    } finally {
      signal.removeEventListener('abort', forward)
    }
  }

  async list(what: ListKind, cursor: string | undefined, signal: CancelSignal): Promise<unknown> {
    const capability = what === 'resourceTemplates' ? 'resources' : what
    if (this.#greeting && !this.#greeting.capabilities[capability]) return { [what]: [] }
    const page = await this.#request(LIST_METHODS[what], cursor === undefined ? {} : { cursor }, { signal })
    if (what === 'tools') this.#stateless?.listed(page)
    return page
  }

  async call(tool: string, input: JsonObject, options: SessionCallOptions): Promise<unknown> {
    if (this.#stateless) return this.#stateless.call(tool, input, options)
    return this.#request('tools/call', { name: tool, arguments: input }, options)
  }

  async ask(what: OfferRequest, params: JsonObject, options: SessionCallOptions): Promise<unknown> {
    return this.#stateless ? this.#stateless.ask(what, params, options) : this.#request(what, params, options)
  }

  rootsChanged(): void {
    // Without sessions a server asks for them anew each time.
    if (!this.#greeting || this.#stateless || this.#wire.over) return
    this.#carrier.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }).catch(() => {})
  }

  async ping(signal: CancelSignal): Promise<void> {
    // Without sessions there are no pings; this every server answers.
    await this.#request(this.#stateless ? 'server/discover' : 'ping', {}, { signal })
  }

  close(patience?: Patience): Promise<void> {
    this.#stateless?.end()
    const closing = this.#carrier.close(patience)
    this.#wire.ended(new Fault('network', 'was closed'))
    return closing
  }

  async #shakeHands(): Promise<Greeting> {
    const shake = await this.#options.load()
    // Not by the SDK, which has nothing to say about a server that has ended by now.
    await this.#carrier.start(this.#wire)
    if (this.#wire.over) throw this.#wire.over
    const greeting = await shake(this.#wire, this.#host)
    this.#greeting = greeting
    if (!isStateless(greeting.protocolVersion)) return greeting
    const { overHttp, listens } = this.#options
    this.#stateless = new Stateless({
      greeting,
      wire: this.#wire,
      host: this.#host,
      mirrors: overHttp,
      listens,
      request: (method, params, options) => this.#request(method, params, options),
    })
    return greeting
  }

  async #request(method: string, params: JsonObject, options: AskOptions): Promise<unknown> {
    const { over, requests } = this.#wire
    if (this.#greeting && !over) return requests.ask(method, params, options)
    throw new Fault('network', over?.message ?? this.seen.end ?? 'is not connected', { effect: 'none' })
  }
}

function toFault(error: unknown, method: string): Fault {
  if (error instanceof Fault) return error
  const { code, data } = error instanceof Error ? (error as { code?: unknown; data?: unknown }) : {}
  if (data instanceof Fault) return data
  const options = { cause: error }
  if (typeof code === 'number')
    return new Fault('remote', `refused ${method}: ${messageOf(error)}`, { ...options, refusal: { code, data } })
  // Errors of the SDK's schemas list issues; their message is a page of JSON.
  const message = isOfSchema(error) ? 'the answer lacks what MCP asks for' : messageOf(error)
  return new Fault('protocol', `failed at ${method}: ${message}`, options)
}

function isOfSchema(error: unknown): boolean {
  return error instanceof Error && ('issues' in error || ('code' in error && error.code === 'INVALID_RESULT'))
}
