import { messageOf } from '@ext/kernel'
import type { JsonObject, ToolProgress } from '@ext/kernel/contract'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Progress, ResultSchema } from '@modelcontextprotocol/sdk/types.js'
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js'
import type { Carrier } from './carrier.js'
import {
  Fault,
  type Greeting,
  type Patience,
  type Seen,
  type Session,
  type SessionCallOptions,
  type SessionHost,
} from './session.js'
import { Wire } from './wire.js'

/** The longest that timers can wait: our own signals are the deadlines. */
const NO_TIMEOUT = 2 ** 31 - 1
/** All that a server gets to know about why: the caller's reason is private. */
const CANCEL_REASON = 'the client does not wait for it any more'

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
  #opened: { readonly client: Client; readonly anyResult: typeof ResultSchema } | undefined

  constructor(carrier: Carrier, host: SessionHost) {
    this.#carrier = carrier
    this.#host = host
    this.#wire = new Wire(carrier)
    this.closed = carrier.closed
  }

  get seen(): Seen {
    return this.#carrier.seen
  }

  async open(signal: AbortSignal): Promise<Greeting> {
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

  async list(what: 'tools', cursor: string | undefined, signal: AbortSignal): Promise<unknown> {
    if (this.#opened && !this.#opened.client.getServerCapabilities()?.[what]) return { [what]: [] }
    return this.#request(`${what}/list`, cursor === undefined ? {} : { cursor }, { signal })
  }

  call(tool: string, input: JsonObject, options: SessionCallOptions): Promise<unknown> {
    return this.#request('tools/call', { name: tool, arguments: input }, options)
  }

  async ping(signal: AbortSignal): Promise<void> {
    await this.#request('ping', {}, { signal })
  }

  close(patience?: Patience): Promise<void> {
    const closing = this.#carrier.close(patience)
    this.#wire.ended(new Fault('network', 'was closed'))
    return closing
  }

  async #shakeHands(): Promise<Greeting> {
    const [{ Client }, { ResultSchema, ToolListChangedNotificationSchema }] = await Promise.all([
      import('@modelcontextprotocol/sdk/client/index.js'),
      import('@modelcontextprotocol/sdk/types.js'),
    ])
    const client = new Client(this.#host.clientInfo, { capabilities: {}, jsonSchemaValidator: NO_VALIDATOR })
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => this.#host.onToolsChanged?.())
    // Not by the SDK, which has nothing to say about a server that has ended by now.
    await this.#carrier.start(this.#wire)
    if (this.#wire.over) throw this.#wire.over
    // Without the signal: a client must not cancel `initialize`.
    await client.connect(this.#wire, { timeout: NO_TIMEOUT })
    this.#opened = { client, anyResult: ResultSchema }
    const { name = '', version = '' } = client.getServerVersion() ?? {}
    const tools = client.getServerCapabilities()?.tools
    const instructions = client.getInstructions()
    return {
      name,
      version,
      protocolVersion: this.#wire.protocolVersion,
      capabilities: { tools: tools !== undefined, toolsChange: tools?.listChanged === true },
      ...(instructions === undefined ? {} : { instructions }),
    }
  }

  /** The SDK's own `listTools` and `callTool` refuse a whole answer for one bad part, so the results come raw. */
  async #request(method: string, params: JsonObject, { signal, onProgress }: SessionCallOptions): Promise<unknown> {
    const { over } = this.#wire
    if (!this.#opened || over) {
      throw new Fault('network', over?.message ?? this.seen.end ?? 'is not connected', { effect: 'none' })
    }
    if (signal.aborted) throw givenUp(signal, 'none')
    const { client, anyResult } = this.#opened
    // The SDK listens on the signal for good, and would cancel a request that was answered long ago.
    const own = new AbortController()
    const forward = () => own.abort(CANCEL_REASON)
    signal.addEventListener('abort', forward, { once: true })
    try {
      const options = { signal: own.signal, timeout: NO_TIMEOUT }
      const answer = await client.request(
        { method, params },
        anyResult,
        onProgress ? { ...options, onprogress: (progress) => onProgress(toProgress(progress)) } : options,
      )
      return answer['value']
    } catch (error) {
      throw own.signal.aborted ? givenUp(signal, 'unknown') : toFault(error, method)
    } finally {
      signal.removeEventListener('abort', forward)
    }
  }
}

/** Only the fields that are known, whatever else the server says. */
function toProgress({ progress, total, message }: Progress): ToolProgress {
  return {
    progress,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message }),
  }
}

/** The caller knows why, and asks its signal. */
function givenUp(signal: AbortSignal, effect: Fault['effect']): Fault {
  return new Fault('network', 'was not waited for any longer', { cause: signal.reason, effect })
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
