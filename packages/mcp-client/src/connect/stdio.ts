import { isMap } from '@ext/kernel'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { ServerChild } from './child.js'
import { LineSplitter } from './lines.js'
import { Fault } from './port.js'

/** A message may be this long; it is held in memory as a whole. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

/** JSON-RPC's code for an answer that can't be parsed; the SDK's parser and ours meet in it. */
export const PARSE_ERROR = -32700

/** `shared/stdio.js` of the SDK, which is imported when a connection is opened. */
export interface Codec {
  deserializeMessage(line: string): JSONRPCMessage
  serializeMessage(message: JSONRPCMessage): string
}

/**
 * JSON-RPC over the pipes of a child. Of our own, because the SDK's leaves grandchildren behind, ends the connection
 * on a result over 10 MB, and keeps quiet about exit codes.
 */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: ((message: JSONRPCMessage) => void) | undefined
  readonly #child: ServerChild
  readonly #codec: Codec

  constructor(child: ServerChild, codec: Codec) {
    this.#child = child
    this.#codec = codec
  }

  async start(): Promise<void> {
    const lines = new LineSplitter(
      MAX_MESSAGE_BYTES,
      (line) => this.#read(line),
      () => this.#child.countTooLarge(),
    )
    this.#child.process.onStdout((chunk) => lines.push(chunk))
    void this.#child.exited.then(() => this.onclose?.())
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const written = await this.#child.process.write(this.#codec.serializeMessage(message))
    if (!written) throw new Fault('network', 'does not read its input any more')
  }

  close(): Promise<void> {
    return this.#child.stop()
  }

  #read(line: string): void {
    if (line.trim() === '') return
    let message: JSONRPCMessage
    try {
      message = this.#codec.deserializeMessage(line)
    } catch {
      const id = answeredId(line)
      if (id === undefined) {
        this.#child.countJunk(line)
        return
      }
      // Otherwise the request that this was meant for would wait for its timeout.
      const error = { code: PARSE_ERROR, message: 'the answer is not a valid JSON-RPC message' }
      message = { jsonrpc: '2.0', id, error }
    }
    this.onmessage?.(message)
  }
}

/** The id of the request that a malformed answer belongs to. */
function answeredId(line: string): string | number | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  if (!isMap(value) || 'method' in value) return undefined
  const { id } = value
  return typeof id === 'number' || typeof id === 'string' ? id : undefined
}
