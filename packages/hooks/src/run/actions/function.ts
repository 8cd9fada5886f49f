import { describe, isMap, messageOf } from '@ext/kernel'
import type { LifecycleEvent, Payload } from '@ext/kernel/contract'
import type { FunctionAction } from '../../config/actions.js'
import type { FunctionContext, HookFunction } from '../../function.js'
import { toPlainReply } from '../../protocol/plain.js'
import type { ActionOutcome, ActionResult } from '../../protocol/types.js'
import { type Replies, repliesFor } from '../../replies.js'
import type { Delivery } from '../delivery.js'
import { freezeDeep } from '../freeze.js'
import type { SentPayload } from '../payload.js'
import type { ActionHost, HookOf } from './action.js'
import { timed } from './timed.js'

/** Calls a function of the embedder. Nothing is turned into JSON, and one that answers at once waits for no timer. */
export async function runFunction(
  hook: HookOf<FunctionAction>,
  delivery: Delivery,
  host: ActionHost,
): Promise<ActionResult> {
  const { begun, payload } = delivery
  const { clock } = host.ports
  const started = begun?.started ?? clock.now()
  const answer = begun?.action === hook.action ? begun.outcome : callFunction(hook, payload)
  if ('kind' in answer) return { ...answer, ms: clock.now() - started }
  const { later, context } = answer
  const wait = async (signal: AbortSignal) => {
    signal.addEventListener('abort', () => context.abort(signal.reason), { once: true })
    return readReply(await later)
  }
  return timed(hook, delivery, host, wait, 'it threw')
}

/** A call that has not answered at once. */
interface OpenCall {
  readonly later: Promise<unknown>
  readonly context: CallContext
}

/** A function that has been called already, and what came of it so far. */
export interface BegunCall {
  readonly action: FunctionAction
  readonly outcome: ActionOutcome | OpenCall
  /** By the clock of the host. */
  readonly started: number
}

/** Calls the function of a hook. Never throws. */
export function callFunction(
  { action, event }: HookOf<FunctionAction>,
  payload: SentPayload,
): ActionOutcome | OpenCall {
  const context = new CallContext(event)
  try {
    Object.freeze(payload)
    if ('tool_input' in payload) freezeDeep(payload.tool_input)
    // The event of the hook is the one that its function was written for.
    const answer: unknown = (action.fn as HookFunction)(payload as Payload, context)
    if (!isPromiseLike(answer)) return readReply(answer)
    const later = Promise.resolve(answer)
    // Nobody waits for it when the event has been ended by then.
    later.catch(() => {})
    return { later, context }
  } catch (error) {
    return { kind: 'failed', cause: 'it threw', detail: messageOf(error) }
  }
}

const SILENT: ActionOutcome = { kind: 'silent' }

function readReply(answer: unknown): ActionOutcome {
  if (answer === undefined || answer === null) return SILENT
  if (isMap(answer)) return { kind: 'replied', ...toPlainReply(answer) }
  return { kind: 'failed', cause: 'wrong type of reply', detail: `it is ${describe(answer)}; return a map or nothing` }
}

/** What a function may use, made when it does: most only look at the payload. */
class CallContext implements FunctionContext<LifecycleEvent> {
  readonly #event: LifecycleEvent
  #ending: AbortController | undefined
  #ended: { readonly reason: unknown } | undefined
  #reply: Replies<LifecycleEvent> | undefined

  constructor(event: LifecycleEvent) {
    this.#event = event
  }

  get signal(): AbortSignal {
    this.#ending ??= new AbortController()
    if (this.#ended) this.#ending.abort(this.#ended.reason)
    return this.#ending.signal
  }

  get reply(): Replies<LifecycleEvent> {
    this.#reply ??= repliesFor(this.#event)
    return this.#reply
  }

  abort(reason: unknown): void {
    this.#ended = { reason }
    this.#ending?.abort(reason)
  }
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
