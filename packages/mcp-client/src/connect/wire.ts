import { isMap } from '@ext/kernel'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { Carrier, Receiver, RequestId } from './carrier.js'
import { Requests } from './requests.js'
import { Fault } from './session.js'

/** JSON-RPC leaves the codes around it to programs; the fault itself travels in `data`. */
const FAULT_CODE = -32099
/** A server that does not read its answers gets no more of them, since they are kept in memory until it does. */
const MAX_UNSENT = 256
/** The SDK asks one thing, `initialize`, and counts from 0. */
const FIRST_ID = 1

/**
 * Puts the SDK's protocol on top of a carrier: for the handshake, and for what servers ask and tell. Whatever the
 * handshake dies of reaches the SDK as its answer, so that it never waits for ever. Requests of our own go past it.
 */
export class Wire implements Transport, Receiver {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: ((message: JSONRPCMessage) => void) | undefined
  /** That was agreed on. */
  protocolVersion = ''
  /** Why no request gets an answer any more, once that is so. */
  over: Fault | undefined
  readonly requests: Requests
  readonly #carrier: Carrier
  /** The SDK's own request that waits for an answer. */
  #handshake: RequestId | undefined
  /** Answers and notices that are not handed over. */
  #unsent = 0

  constructor(carrier: Carrier) {
    this.#carrier = carrier
    this.requests = new Requests(carrier, FIRST_ID)
  }

  /** The carrier was started before. */
  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message) || !('id' in message)) return this.#tell(message)
    const { id } = message
    this.#handshake = id
    try {
      await this.#carrier.send(message)
    } catch (error) {
      // Not thrown: the SDK would keep what belongs to the request for ever.
      this.failed(id, error instanceof Fault ? error : new Fault('network', 'could not be reached', { cause: error }))
    }
  }

  setProtocolVersion(version: string): void {
    this.protocolVersion = version
    this.#carrier.agreed?.(version)
  }

  close(): Promise<void> {
    return this.#carrier.close()
  }

  message(value: unknown): boolean {
    if (!isMap(value)) return false
    const { id, method } = value
    if (typeof method === 'string') {
      if (value['jsonrpc'] !== '2.0') return false
      if (method !== 'notifications/progress' || !this.requests.progressed(value['params'])) {
        return this.#pass(value as JSONRPCMessage)
      }
      return true
    }
    if (typeof id !== 'number' && typeof id !== 'string') return false
    if (this.requests.answered(id, value)) return true
    // An answer that nobody waits for any more.
    if (id !== this.#handshake) return 'result' in value || 'error' in value
    const answer = toAnswer(id, value)
    if (answer) {
      this.#handshake = undefined
      this.onmessage?.(answer)
    } else this.failed(id, new Fault('protocol', 'gave an answer to initialize that is not MCP'))
    return true
  }

  async #tell(message: JSONRPCMessage): Promise<void> {
    if (this.#unsent >= MAX_UNSENT) return
    this.#unsent++
    try {
      await this.#carrier.send(message)
    } finally {
      this.#unsent--
    }
  }

  /** The SDK walks through what it gets, and a value can be nested so deep that this overflows the stack. */
  #pass(message: JSONRPCMessage): boolean {
    try {
      this.onmessage?.(message)
      return true
    } catch {
      return false
    }
  }

  failed(id: RequestId, fault: Fault): void {
    if (this.requests.failed(id, fault) || id !== this.#handshake) return
    this.#handshake = undefined
    this.onmessage?.({ jsonrpc: '2.0', id, error: { code: FAULT_CODE, message: fault.message, data: fault } })
  }

  ended(fault: Fault): void {
    if (this.over) return
    this.over = fault
    this.requests.ended(fault)
    if (this.#handshake !== undefined) this.failed(this.#handshake, fault)
    this.onclose?.()
  }
}

/** The SDK gets nothing but what it checks: it would keep quiet about an answer with a field too many. */
function toAnswer(id: RequestId, value: Record<string, unknown>): JSONRPCMessage | undefined {
  const { jsonrpc, result, error } = value
  if (jsonrpc !== '2.0') return undefined
  if (isMap(error)) {
    const { code, message, data } = error
    if (!Number.isSafeInteger(code) || typeof message !== 'string') return undefined
    return { jsonrpc, id, error: { code: code as number, message, data } }
  }
  if (!isMap(result)) return undefined
  const { _meta, ...rest } = result
  return { jsonrpc, id, result: rest }
}
