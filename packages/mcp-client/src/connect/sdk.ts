import { messageOf } from '@ext/kernel'
import type { JsonObject } from '@ext/kernel/contract'
import type { ProcessPort } from '@ext/kernel/types'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { ResultSchema } from '@modelcontextprotocol/sdk/types.js'
import type { Launch } from '../types.js'
import { ServerChild } from './child.js'
import { type Connection, Fault, type Seen } from './port.js'
import { PARSE_ERROR, StdioTransport } from './stdio.js'

/** The longest that timers can wait: our own signals are the deadlines. */
const NO_TIMEOUT = 2 ** 31 - 1

/** Starts the server. `open` imports the SDK meanwhile, so the two wait for each other only once. */
export function connectStdio(
  launch: Launch,
  process: ProcessPort,
  clientInfo: { readonly name: string; readonly version: string },
): Connection {
  return new SdkConnection(new ServerChild(process.start(launch)), clientInfo)
}

class SdkConnection implements Connection {
  readonly closed: Promise<void>
  readonly #child: ServerChild
  readonly #clientInfo: { readonly name: string; readonly version: string }
  #session: { readonly client: Client; readonly anyResult: typeof ResultSchema } | undefined

  constructor(child: ServerChild, clientInfo: { readonly name: string; readonly version: string }) {
    this.#child = child
    this.#clientInfo = clientInfo
    this.closed = child.exited
  }

  get seen(): Seen {
    return this.#child.seen
  }

  async open(signal: AbortSignal): Promise<void> {
    const [{ Client }, codec, { ResultSchema }] = await Promise.all([
      import('@modelcontextprotocol/sdk/client/index.js'),
      import('@modelcontextprotocol/sdk/shared/stdio.js'),
      import('@modelcontextprotocol/sdk/types.js'),
    ])
    const client = new Client(this.#clientInfo, { capabilities: {} })
    const transport = new StdioTransport(this.#child, codec)
    await this.#attempt('initialize', signal, (options) => client.connect(transport, options))
    this.#session = { client, anyResult: ResultSchema }
  }

  async list(cursor: string | undefined, signal: AbortSignal): Promise<unknown> {
    if (!this.#session?.client.getServerCapabilities()?.tools) return { tools: [] }
    return this.#request('tools/list', cursor === undefined ? {} : { cursor }, signal)
  }

  call(tool: string, input: JsonObject, signal: AbortSignal): Promise<unknown> {
    return this.#request('tools/call', { name: tool, arguments: input }, signal)
  }

  close(): Promise<void> {
    return this.#child.stop()
  }

  /** The SDK's own `listTools` and `callTool` refuse a whole answer for one bad part, so the results come raw. */
  async #request(method: 'tools/list' | 'tools/call', params: JsonObject, signal: AbortSignal): Promise<unknown> {
    if (!this.#session) throw new Fault('network', 'is not connected')
    const { client, anyResult } = this.#session
    return this.#attempt(method, signal, (options) => client.request({ method, params }, anyResult, options))
  }

  async #attempt<T>(
    method: string,
    signal: AbortSignal,
    send: (options: { readonly signal: AbortSignal; readonly timeout: number }) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted()
    // The SDK listens on the signal for good, and would cancel a request that was answered long ago.
    const own = new AbortController()
    const forward = () => own.abort(signal.reason)
    signal.addEventListener('abort', forward, { once: true })
    try {
      return await send({ signal: own.signal, timeout: NO_TIMEOUT })
    } catch (error) {
      throw this.#fault(error, method)
    } finally {
      signal.removeEventListener('abort', forward)
    }
  }

  #fault(error: unknown, method: string): Fault {
    const { end } = this.#child.seen
    const options = { cause: error }
    if (end !== undefined) return new Fault('network', end, options)
    if (error instanceof Fault) return error
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === PARSE_ERROR) return new Fault('protocol', `gave an answer to ${method} that is not MCP`, options)
    if (typeof code === 'number') return new Fault('remote', `refused ${method}: ${messageOf(error)}`, options)
    // Errors of the SDK's schemas list issues; their message is a page of JSON.
    const message =
      error instanceof Error && 'issues' in error ? 'the answer lacks what MCP asks for' : messageOf(error)
    return new Fault('protocol', `failed at ${method}: ${message}`, options)
  }
}
