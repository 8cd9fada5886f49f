import { isMap } from '@ext/kernel'
import type { Carrier, Message, RequestId } from './carrier.js'
import type { Requests } from './requests.js'
import { type Answering, RpcError } from './session.js'

/** A server that asks more than this at a time is told to wait. */
const MAX_OPEN = 32
/**
 * In characters of JSON. One that does not read its answers gets no more of them, since they are kept in memory until it
 * does. Not in answers: a thousand questions may be read at once, and their answers are written after that.
 */
const MAX_UNSENT = 512 * 1024
/** Errors of JSON-RPC; the last one is of the range that it leaves to programs. */
const INVALID_REQUEST = -32600
const NO_SUCH_METHOD = -32601
const INTERNAL = -32603
const TOO_MANY = -32000

/** Questions that can take a person or a model, so that the request that they belong to has to wait. */
const SLOW = new Set(['sampling/createMessage', 'elicitation/create'])

interface Question {
  readonly id: RequestId
  readonly method: string
  readonly params: unknown
}

/**
 * What the server asks, and the answers that it gets. Every question gets one, unless the server takes it back. Not the
 * SDK's, which would check the answers of people with a validator of its own, and lets a server ask without end.
 */
export class Incoming {
  readonly #carrier: Carrier
  readonly #answering: Answering | undefined
  readonly #requests: Pick<Requests, 'asked' | 'sessionOf'>
  readonly #open = new Map<RequestId, AbortController>()
  #unsent = 0

  /** @param requests our own, which questions of the server belong to */
  constructor(carrier: Carrier, answering: Answering | undefined, requests: Pick<Requests, 'asked' | 'sessionOf'>) {
    this.#carrier = carrier
    this.#answering = answering
    this.#requests = requests
  }

  /** @param about the request of ours that it came with */
  asked(question: Question, about: RequestId | undefined): void {
    const { id, method } = question
    if (method === 'ping') this.#send({ id, result: {} })
    else if (this.#open.has(id)) this.#refuse(id, INVALID_REQUEST, 'A request of this id is still open.')
    else if (this.#open.size >= MAX_OPEN) this.#refuse(id, TOO_MANY, 'Too many requests are open.')
    else void this.#answer(question, about)
  }

  /** The server does not want an answer any more. */
  cancelled(params: unknown): void {
    const id = isMap(params) ? (params['requestId'] as RequestId) : undefined
    const controller = id === undefined ? undefined : this.#open.get(id)
    if (id === undefined || !controller) return
    this.#open.delete(id)
    controller.abort()
  }

  /** The session is over. */
  ended(): void {
    const open = [...this.#open.values()]
    this.#open.clear()
    for (const controller of open) controller.abort()
  }

  async #answer({ id, method, params }: Question, about: RequestId | undefined): Promise<void> {
    const controller = new AbortController()
    this.#open.set(id, controller)
    const release = SLOW.has(method) ? this.#requests.asked(about, () => controller.abort()) : () => {}
    try {
      if (!this.#answering) throw new RpcError(NO_SUCH_METHOD, `There is no ${method} here.`)
      const result = await this.#answering.answer(method, params, {
        signal: controller.signal,
        session: this.#requests.sessionOf(about),
      })
      if (this.#open.get(id) === controller) this.#send({ id, result })
    } catch (error) {
      if (this.#open.get(id) !== controller) return
      if (error instanceof RpcError) this.#refuse(id, error.code, error.message)
      // What went wrong in here is nobody else's business.
      else this.#refuse(id, INTERNAL, 'The request could not be answered.')
    } finally {
      release()
      if (this.#open.get(id) === controller) this.#open.delete(id)
    }
  }

  #refuse(id: RequestId, code: number, message: string): void {
    this.#send({ id, error: { code, message } })
  }

  #send(answer: Pick<Message, 'result' | 'error'> & { readonly id: RequestId }): void {
    if (this.#unsent >= MAX_UNSENT) return
    const size = JSON.stringify(answer).length
    this.#unsent += size
    const sent = () => {
      this.#unsent -= size
    }
    // A server that is gone needs none.
    this.#carrier.send({ jsonrpc: '2.0', ...answer }).then(sent, sent)
  }
}
