import { isMap } from '@ext/kernel'
import type { Carrier, Message, Receiver, RequestId } from './carrier.js'
import { Incoming } from './incoming.js'
import { toNotice } from './notices.js'
import { Requests } from './requests.js'
import { Fault, type SessionHost } from './session.js'

/** JSON-RPC leaves the codes around it to programs; the fault itself travels in `data`. */
const FAULT_CODE = -32099
/** The SDKs ask one thing with a number, `initialize`, and count from 0. */
const FIRST_ID = 1

/**
 * Puts an SDK's protocol on top of a carrier, as the transport that both of them ask for, for the handshake. Whatever that
 * dies of reaches the SDK as its answer, so that it never waits for ever. Requests of our own go past it, and so does what
 * servers ask and tell.
 */
export class Wire implements Receiver {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: ((message: unknown) => void) | undefined
  /** The server has taken on to tell what changes. */
  onsubscribed?: ((params: unknown) => void) | undefined
  /** That was agreed on. */
  protocolVersion = ''
  /** Why no request gets an answer any more, once that is so. */
  over: Fault | undefined
  /** What the SDK's last request died of; it may have made something else of it. */
  handshakeFault: Fault | undefined
  readonly requests: Requests
  readonly #carrier: Carrier
  readonly #incoming: Incoming
  readonly #onNotice: SessionHost['onNotice']
  #answers = true
  /** The SDK's own request that waits for an answer. */
  #handshake: { readonly id: RequestId; readonly method: string } | undefined

  constructor(carrier: Carrier, { answering, onNotice }: Pick<SessionHost, 'answering' | 'onNotice'>) {
    this.#carrier = carrier
    this.#onNotice = onNotice
    this.requests = new Requests(carrier, FIRST_ID)
    this.#incoming = new Incoming(carrier, answering, this.requests)
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

  message(value: unknown, about?: RequestId): boolean {
    if (!isMap(value)) return false
    const { id, method } = value
    if (typeof method === 'string') return value['jsonrpc'] === '2.0' && this.#said(method, value, about)
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
    this.#incoming.ended()
    this.requests.ended(fault)
    if (this.#handshake) this.failed(this.#handshake.id, fault)
    this.onclose?.()
  }

  /** The server speaks a revision in which it asks nothing but in its answers. */
  answersNothing(): void {
    this.#incoming.ended()
    this.#answers = false
  }

  /** What the server says by itself. @returns false for what is neither a question nor a notification */
  #said(method: string, { id, params }: Readonly<Record<string, unknown>>, about: RequestId | undefined): boolean {
    if (typeof id === 'number' || typeof id === 'string') {
      if (this.#answers) this.#incoming.asked({ id, method, params }, about)
      return this.#answers
    }
    if (id !== undefined) return false
    if (method === 'notifications/progress') this.requests.progressed(params)
    else if (method === 'notifications/cancelled') this.#incoming.cancelled(params)
    else if (method === 'notifications/subscriptions/acknowledged') this.onsubscribed?.(params)
    else {
      const notice = toNotice(method, params)
      if (notice) this.#onNotice?.(notice)
    }
    return true
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
