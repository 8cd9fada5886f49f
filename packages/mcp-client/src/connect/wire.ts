import { isMap } from '@ext/kernel'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { Carrier, Receiver, RequestId } from './carrier.js'
import { Fault } from './session.js'

/** JSON-RPC leaves the codes around it to programs; the fault itself travels in `data`. */
const FAULT_CODE = -32099

/**
 * Puts the SDK's protocol on top of a carrier. Results are wrapped, so that the SDK has nothing to refuse about them,
 * and whatever a request dies of reaches the SDK as its answer, so that none waits for ever.
 */
export class Wire implements Transport, Receiver {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: ((message: JSONRPCMessage) => void) | undefined
  /** That was agreed on. */
  protocolVersion = ''
  /** Why no request gets an answer any more, once that is so. */
  over: Fault | undefined
  readonly #carrier: Carrier
  /** Requests that wait for an answer, and their methods. */
  readonly #pending = new Map<RequestId, string>()

  constructor(carrier: Carrier) {
    this.#carrier = carrier
  }

  /** The carrier was started before. */
  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message)) return this.#carrier.send(message)
    if (!('id' in message)) {
      const { requestId } = message.params ?? {}
      if (message.method === 'notifications/cancelled') this.#pending.delete(requestId as RequestId)
      return this.#carrier.send(message)
    }
    const { id, method } = message
    this.#pending.set(id, method)
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
    if (typeof value['method'] === 'string') {
      if (value['jsonrpc'] !== '2.0') return false
      this.onmessage?.(value as JSONRPCMessage)
      return true
    }
    const { id } = value
    if (typeof id !== 'number' && typeof id !== 'string') return false
    const method = this.#pending.get(id)
    // An answer that nobody waits for any more.
    if (method === undefined) return 'result' in value || 'error' in value
    const answer = toAnswer(id, method, value)
    if (answer) {
      this.#pending.delete(id)
      // The SDK hears notifications a moment later than answers, and would lose the last progress before an answer.
      queueMicrotask(() => this.onmessage?.(answer))
    } else this.failed(id, new Fault('protocol', `gave an answer to ${method} that is not MCP`))
    return true
  }

  failed(id: RequestId, fault: Fault): void {
    if (!this.#pending.delete(id)) return
    this.onmessage?.({ jsonrpc: '2.0', id, error: { code: FAULT_CODE, message: fault.message, data: fault } })
  }

  ended(fault: Fault): void {
    if (this.over) return
    this.over = fault
    for (const id of [...this.#pending.keys()]) this.failed(id, fault)
    this.onclose?.()
  }
}

/** The SDK gets nothing but what it checks: it would keep quiet about an answer with a field too many. */
function toAnswer(id: RequestId, method: string, value: Record<string, unknown>): JSONRPCMessage | undefined {
  const { jsonrpc, result, error } = value
  if (jsonrpc !== '2.0') return undefined
  if (isMap(error)) {
    const { code, message, data } = error
    if (!Number.isSafeInteger(code) || typeof message !== 'string') return undefined
    return { jsonrpc, id, error: { code: code as number, message, data } }
  }
  if (!isMap(result)) return undefined
  if (method !== 'initialize') return { jsonrpc, id, result: { value: result } }
  const { _meta, ...rest } = result
  return { jsonrpc, id, result: rest }
}
