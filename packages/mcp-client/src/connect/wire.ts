import { isMap } from '@ext/kernel'
import type { Carrier, Message, Receiver, RequestId } from './carrier.js'
import { Requests } from './requests.js'
import { Fault } from './session.js'

/** JSON-RPC leaves the codes around it to programs; the fault itself travels in `data`. */
const FAULT_CODE = -32099
/** The SDKs ask one thing with a number, `initialize`, and count from 0. */
const FIRST_ID = 1

/**
 * Puts an SDK's protocol on top of a carrier, as the transport that both of them ask for: for the handshake, and for what
 * servers ask and tell. Whatever the handshake dies of reaches the SDK as its answer, so that it never waits for ever.
 * Requests of our own go past it.
 */
export class Wire implements Receiver {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: ((message: unknown) => void) | undefined
  /** The server has taken on to tell what changes. */
  onsubscribed?: (() => void) | undefined
  /** That was agreed on. */
  protocolVersion = ''
  /** Why no request gets an answer any more, once that is so. */
  over: Fault | undefined
  /** What the SDK's last request died of; it may have made something else of it. */
  handshakeFault: Fault | undefined
  readonly requests: Requests
  readonly #carrier: Carrier
  /** The SDK's own request that waits for an answer. */
  #handshake: { readonly id: RequestId; readonly method: string } | undefined

  constructor(carrier: Carrier) {
    this.#carrier = carrier
    this.requests = new Requests(carrier, FIRST_ID)
  }

  /** The carrier was started before. */
  async start(): Promise<void> {}

  async send(message: Message): Promise<void> {
    const { id, method } = message
    if (method === undefined || id === undefined) return this.#carrier.send(message)
    this.#handshake = { id, method }
    this.handshakeFault = undefined
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
        if (method === 'notifications/subscriptions/acknowledged') this.onsubscribed?.()
        this.onmessage?.(value)
      }
      return true
    }
    if (typeof id !== 'number' && typeof id !== 'string') return false
    if (this.requests.answered(id, value)) return true
    // An answer that nobody waits for any more.
    const asked = this.#handshake
    if (id !== asked?.id) return 'result' in value || 'error' in value
    const answer = toAnswer(id, value)
    if (answer) {
      this.#handshake = undefined
      this.onmessage?.(answer)
    } else this.failed(id, new Fault('protocol', `gave an answer to ${asked.method} that is not MCP`))
    return true
  }

  failed(id: RequestId, fault: Fault): void {
    if (this.requests.failed(id, fault) || id !== this.#handshake?.id) return
    this.#handshake = undefined
    this.handshakeFault = fault
    this.onmessage?.({ jsonrpc: '2.0', id, error: { code: FAULT_CODE, message: fault.message, data: fault } })
  }

  ended(fault: Fault): void {
    if (this.over) return
    this.over = fault
    this.requests.ended(fault)
    if (this.#handshake) this.failed(this.#handshake.id, fault)
    this.onclose?.()
  }
}

/** The SDK gets nothing but what it checks: it would keep quiet about an answer with a field too many. */
function toAnswer(id: RequestId, value: Record<string, unknown>): object | undefined {
  const { jsonrpc, result, error } = value
  if (jsonrpc !== '2.0') return undefined
  if (isMap(error)) {
    const { code, message, data } = error
    if (!Number.isSafeInteger(code) || typeof message !== 'string') return undefined
    return { jsonrpc, id, error: { code: code as number, message, data } }
  }
  if (!isMap(result)) return undefined
  const { _meta, ...rest } = result
  return { jsonrpc, id, result: isMap(_meta) ? result : rest }
}
