import { isMap, messageOf } from '@ext/kernel'
import type { JsonObject, SessionRef, ToolProgress, TraceContext } from '@ext/kernel/contract'
import type { CancelSignal } from '../cancel.js'
import type { Carrier, RequestId } from './carrier.js'
import { Fault, type SessionCallOptions } from './session.js'

/** All that a server gets to know about why: the caller's reason is private. */
const CANCEL_REASON = 'the client does not wait for it any more'

export interface AskOptions extends SessionCallOptions {
  /** See `Carrier.send`. */
  readonly headers?: Readonly<Record<string, string>>
}

interface Pending {
  readonly method: string
  readonly onProgress: ((progress: ToolProgress) => void) | undefined
  readonly onAsked: (() => () => void) | undefined
  readonly session: SessionRef | undefined
  /** Of the server, that wait for an answer; made when there is one. */
  questions: Set<Question> | undefined
  readonly resolve: (result: unknown) => void
  readonly reject: (fault: Fault) => void
}

/** Something that the server asks while it works on requests of ours. */
interface Question {
  /** Those of them that are still wanted. */
  readonly of: Set<Pending>
  /** None of them is. */
  readonly drop: () => void
}

/**
 * Requests of our own and their answers, as they were sent. Not the SDK's: that one refuses a whole answer for one bad
 * part, keeps a timer and a check of the schema for each request, and takes a third of the time of a fast call for it.
 */
export class Requests {
  readonly #carrier: Carrier
  readonly #pending = new Map<RequestId, Pending>()
  /** Goes with every message, where a revision asks for it. */
  #meta: JsonObject | undefined
  #lastId: number

  /** @param firstId from here on nobody else numbers requests */
  constructor(carrier: Carrier, firstId: number) {
    this.#carrier = carrier
    this.#lastId = firstId - 1
  }

  /** From here on each message says all of this about itself. */
  describe(meta: JsonObject): void {
    this.#meta = meta
  }

  /** Rejects with a {@link Fault}. An abort tells the server and rejects at once. */
  ask(
    method: string,
    params: JsonObject,
    { signal, onProgress, onAsked, headers, onId, trace, session }: AskOptions,
  ): Promise<unknown> {
    if (signal.aborted) return Promise.reject(givenUp(signal, 'none'))
    const id = ++this.#lastId
    onId?.(id)
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#giveUp(id)
        reject(givenUp(signal, 'unknown'))
        const notice = {
          jsonrpc: '2.0' as const,
          method: 'notifications/cancelled',
          params: { requestId: id, reason: CANCEL_REASON, ...(this.#meta ? { _meta: this.#meta } : {}) },
        }
        this.#carrier.send(notice).catch(() => {})
      }
      signal.addEventListener('abort', abort, { once: true })
      this.#pending.set(id, {
        method,
        onProgress,
        onAsked,
        session,
        questions: undefined,
        resolve: (result) => {
          signal.removeEventListener('abort', abort)
          resolve(result)
        },
        reject: (fault) => {
          signal.removeEventListener('abort', abort)
          reject(fault)
        },
      })
      const token = onProgress ? { progressToken: id } : undefined
      const asked =
        token || trace || this.#meta ? { ...params, _meta: { ...this.#meta, ...token, ...told(trace) } } : params
      this.#carrier.send({ jsonrpc: '2.0', id, method, params: asked }, headers).catch((error: unknown) => {
        this.failed(id, error instanceof Fault ? error : notSent(error))
      })
    })
  }

  /** @returns false for an answer to nothing that was asked here */
  answered(id: RequestId, answer: Readonly<Record<string, unknown>>): boolean {
    const pending = this.#pending.get(id)
    if (!pending) return false
    this.#pending.delete(id)
    const { jsonrpc, result, error } = answer
    if (jsonrpc === '2.0' && isRefusal(error)) {
      const { code, message, data } = error
      const refusal = { code, data }
      pending.reject(new Fault('remote', `refused ${pending.method}: MCP error ${code}: ${message}`, { refusal }))
    } else if (jsonrpc === '2.0' && error === undefined && isMap(result)) pending.resolve(result)
    else pending.reject(new Fault('protocol', `gave an answer to ${pending.method} that is not MCP`))
    return true
  }

  /** @returns false for progress of nothing that was asked here */
  progressed(params: unknown): boolean {
    if (!isMap(params)) return false
    const { progressToken, progress, total, message } = params
    const pending = this.#pending.get(progressToken as RequestId)
    if (!pending) return false
    if (typeof progress !== 'number') return true
    // Only the fields that are known, whatever else the server says.
    pending.onProgress?.({
      progress,
      ...(typeof total === 'number' ? { total } : {}),
      ...(typeof message === 'string' ? { message } : {}),
    })
    return true
  }

  /**
   * The server asks something, and what it works on can't go on before it has its answer.
   * @param about the request that the question belongs to; unknown: all that are open
   * @param drop called when nobody waits any more for what the answer is for
   * @returns to be called when it has been answered
   */
  asked(about: RequestId | undefined, drop: () => void): () => void {
    const open = about === undefined ? [...this.#pending.values()] : [this.#pending.get(about)]
    const of = new Set(open.flatMap((pending) => (pending?.onAsked ? [pending] : [])))
    const question: Question = { of, drop }
    const ends = [...question.of].map((pending) => {
      pending.questions ??= new Set()
      pending.questions.add(question)
      const end = pending.onAsked?.()
      return () => {
        pending.questions?.delete(question)
        end?.()
      }
    })
    return () => {
      for (const end of ends) end()
    }
  }

  /**
   * The session whose request it is.
   * @param about unknown: that of all that are open, if it is one
   */
  sessionOf(about: RequestId | undefined): SessionRef | undefined {
    const open = about === undefined ? [...this.#pending.values()] : [this.#pending.get(about)]
    const [first, ...others] = open.flatMap((pending) => pending?.session ?? [])
    return others.every(({ id }) => id === first?.id) ? first : undefined
  }

  #giveUp(id: RequestId): void {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (!pending) return
    for (const question of pending.questions ?? []) {
      question.of.delete(pending)
      if (question.of.size === 0) question.drop()
    }
  }

  /** @returns false if nobody here waits for it */
  failed(id: RequestId, fault: Fault): boolean {
    const pending = this.#pending.get(id)
    if (!pending) return false
    this.#pending.delete(id)
    pending.reject(fault)
    return true
  }

  /** Nothing is answered any more. */
  ended(fault: Fault): void {
    for (const id of [...this.#pending.keys()]) this.failed(id, fault)
  }
}

/** Unprefixed, as SEP-414 of MCP reserves them. */
function told(trace: TraceContext | undefined): JsonObject | undefined {
  if (!trace) return undefined
  const { traceparent, tracestate } = trace
  return { traceparent, ...(tracestate === undefined ? {} : { tracestate }) }
}

/** A carrier fails with a fault; what else is thrown comes of an input that is no JSON. */
function notSent(error: unknown): Fault {
  const hint = 'The input has to be JSON: no cycles, no big integers.'
  return new Fault('protocol', `was not asked, since the input can't be sent: ${messageOf(error)}`, {
    cause: error,
    effect: 'none',
    hint,
  })
}

/** The caller knows why, and asks its signal. */
export function givenUp(signal: CancelSignal, effect: Fault['effect']): Fault {
  return new Fault('network', 'was not waited for any longer', { cause: signal.reason, effect })
}

function isRefusal(
  error: unknown,
): error is { readonly code: number; readonly message: string; readonly data?: unknown } {
  return isMap(error) && Number.isSafeInteger(error['code']) && typeof error['message'] === 'string'
}
