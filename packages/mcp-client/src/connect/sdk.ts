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
    signal.throwIfAborted()
    const client = new Client(this.#clientInfo, { capabilities: {} })
    await this.#explained(
      client.connect(new StdioTransport(this.#child, codec), { signal, timeout: NO_TIMEOUT }),
      'initialize',
    )
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
    if (!this.#session) throw new Fault('network', 'it is not connected')
    const { client, anyResult } = this.#session
    return this.#explained(client.request({ method, params }, anyResult, { signal, timeout: NO_TIMEOUT }), method)
  }

  async #explained<T>(request: Promise<T>, method: string): Promise<T> {
    try {
      return await request
    } catch (error) {
      throw this.#fault(error, method)
    }
  }

  #fault(error: unknown, method: string): Fault {
    const { end } = this.#child.seen
    const options = { cause: error }
    if (end !== undefined) return new Fault('network', end, options)
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === PARSE_ERROR) return new Fault('protocol', `gave an answer to ${method} that is not MCP`, options)
    if (typeof code === 'number') return new Fault('remote', `refused ${method}: ${messageOf(error)}`, options)
    if (error instanceof Error && 'issues' in error) {
      return new Fault('protocol', `gave an answer to ${method} that does not have the form MCP asks for`, options)
    }
    return new Fault('network', messageOf(error), options)
  }
}
