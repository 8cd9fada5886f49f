import { messageOf } from '@ext/kernel'
import type { JsonObject } from '@ext/kernel/contract'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js'
import type { CancelSignal } from '../cancel.js'
import type { Carrier } from './carrier.js'
import { LIST_METHODS } from './list.js'
import { givenUp } from './requests.js'
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
import { Wire } from './wire.js'

/** The longest that timers can wait: our own signals are the deadlines. */
const NO_TIMEOUT = 2 ** 31 - 1

/** The SDK would make one of Ajv for each client, for calls that are not made here. */
const NO_VALIDATOR: jsonSchemaValidator = {
  getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
}

/** The session on `@modelcontextprotocol/sdk`, which is imported when the first one is opened. */
export class SdkSession implements Session {
  readonly closed: Promise<void>
  readonly #carrier: Carrier
  readonly #host: SessionHost
  readonly #wire: Wire
  #client: Client | undefined

  constructor(carrier: Carrier, host: SessionHost) {
    this.#carrier = carrier
    this.#host = host
    this.#wire = new Wire(carrier, host)
    this.closed = carrier.closed
  }

  get seen(): Seen {
    return this.#carrier.seen
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
    if (this.#client && !this.#client.getServerCapabilities()?.[capability]) return { [what]: [] }
    return this.#request(LIST_METHODS[what], cursor === undefined ? {} : { cursor }, { signal })
  }

  call(tool: string, input: JsonObject, options: SessionCallOptions): Promise<unknown> {
    return this.#request('tools/call', { name: tool, arguments: input }, options)
  }

  ask(what: OfferRequest, params: JsonObject, options: SessionCallOptions): Promise<unknown> {
    return this.#request(what, params, options)
  }

  rootsChanged(): void {
    if (!this.#client || this.#wire.over) return
    this.#carrier.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }).catch(() => {})
  }

  async ping(signal: CancelSignal): Promise<void> {
    await this.#request('ping', {}, { signal })
  }

  close(patience?: Patience): Promise<void> {
    const closing = this.#carrier.close(patience)
    this.#wire.ended(new Fault('network', 'was closed'))
    return closing
  }

  async #shakeHands(): Promise<Greeting> {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
    const { clientInfo, answering } = this.#host
    const capabilities = { ...answering?.capabilities }
    const client = new Client(clientInfo, { capabilities, jsonSchemaValidator: NO_VALIDATOR })
    // Not by the SDK, which has nothing to say about a server that has ended by now.
    await this.#carrier.start(this.#wire)
    if (this.#wire.over) throw this.#wire.over
    // Without the signal: a client must not cancel `initialize`.
    await client.connect(this.#wire, { timeout: NO_TIMEOUT })
    this.#client = client
    const { name = '', version = '' } = client.getServerVersion() ?? {}
    const { tools, resources, prompts, logging, completions } = client.getServerCapabilities() ?? {}
    const instructions = client.getInstructions()
    return {
      name,
      version,
      protocolVersion: this.#wire.protocolVersion,
      capabilities: {
        tools: tools !== undefined,
        toolsChange: tools?.listChanged === true,
        resources: resources !== undefined,
        resourcesChange: resources?.listChanged === true,
        subscribe: resources?.subscribe === true,
        prompts: prompts !== undefined,
        promptsChange: prompts?.listChanged === true,
        logging: logging !== undefined,
        completions: completions !== undefined,
      },
      ...(instructions === undefined ? {} : { instructions }),
    }
  }

  async #request(method: string, params: JsonObject, options: SessionCallOptions): Promise<unknown> {
    const { over, requests } = this.#wire
    if (this.#client && !over) return requests.ask(method, params, options)
    throw new Fault('network', over?.message ?? this.seen.end ?? 'is not connected', { effect: 'none' })
  }
}

function toFault(error: unknown, method: string): Fault {
  if (error instanceof Fault) return error
  const { code, data } = error instanceof Error ? (error as { code?: unknown; data?: unknown }) : {}
  if (data instanceof Fault) return data
  const options = { cause: error }
  if (typeof code === 'number') return new Fault('remote', `refused ${method}: ${messageOf(error)}`, options)
  // Errors of the SDK's schemas list issues; their message is a page of JSON.
  const message = error instanceof Error && 'issues' in error ? 'the answer lacks what MCP asks for' : messageOf(error)
  return new Fault('protocol', `failed at ${method}: ${message}`, options)
}
