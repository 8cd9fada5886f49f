import { settleAll } from '@ext/kernel'
import type { SessionRef } from '@ext/kernel/contract'
import type { LoadedHook } from '../match/listeners.js'
import type { Rewrite } from '../protocol/rewrite.js'
import type { BegunCall } from './actions/function.js'
import { type AskHost, askHook, type HookAnswer, skipHook } from './answer.js'
import { Delivery } from './delivery.js'
import type { OnceMarks } from './once.js'
import { type SentPayload, withRewrite } from './payload.js'

/** Hooks that one event may run at a time; those that run in a row count as one. */
const MAX_PARALLEL = 16

/** What a round of hooks is run in. */
export interface RoundContext {
  readonly session: SessionRef
  readonly marks: OnceMarks
  readonly signal: AbortSignal
  readonly host: AskHost
  /** When all hooks of the event have to be done, by the clock of the host. Default: each has its own time only. */
  readonly deadline?: number
}

/**
 * Asks all hooks: those that are sequential one after the other, the others beside them. Answers come in the order of the
 * hooks. Rejects with the reason of the signal when it aborts.
 */
export async function runRound(
  hooks: readonly LoadedHook[],
  payload: SentPayload,
  context: RoundContext,
  begun?: BegunCall,
): Promise<readonly HookAnswer[]> {
  const { session, marks, signal, host } = context
  const delivery = new Delivery(payload, session, host.root, signal, begun)
  const row = hooks.filter((hook) => hook.value.sequential)
  const others = hooks.filter((hook) => !hook.value.sequential)
  const { deliveries, release } = splitAmong(others.length + 1, delivery)
  const tasks = [
    ...others.map((hook, index) => async () => [await ask(hook, deliveries(index), context)]),
    ...(row.length > 0 ? [() => runRow(row, deliveries(others.length), context)] : []),
  ]
  const settled = signal.aborted ? [] : await runAll(tasks, signal)
  release()
  if (signal.aborted) for (const hook of hooks) marks.release(hook)
  signal.throwIfAborted()
  const answers = new Map(settled.flat().map((answer) => [answer.loaded, answer]))
  for (const { loaded, reply } of answers.values()) {
    if (['failed', 'timedOut', 'skipped'].includes(reply.outcome)) marks.release(loaded)
  }
  return hooks.flatMap((hook) => answers.get(hook) ?? [])
}

/** More listeners than ten on one signal are taken for a leak by Node, which then says so on stderr. */
const MAX_LISTENERS = 8

/** One delivery for few hooks each, all of which end with the first. */
function splitAmong(
  count: number,
  delivery: Delivery,
): { readonly deliveries: (index: number) => Delivery; readonly release: () => void } {
  if (count <= MAX_LISTENERS) return { deliveries: () => delivery, release: () => {} }
  const { signal } = delivery
  const controllers = Array.from({ length: Math.ceil(count / MAX_LISTENERS) }, () => new AbortController())
  const follow = () => {
    for (const controller of controllers) controller.abort(signal.reason)
  }
  signal.addEventListener('abort', follow)
  const parts = controllers.map((controller) => delivery.endedBy(controller.signal))
  return {
    deliveries: (index) => parts[Math.floor(index / MAX_LISTENERS)] ?? delivery,
    release: () => signal.removeEventListener('abort', follow),
  }
}

type Task = () => Promise<readonly HookAnswer[]>

/** What a task asks never rejects. */
async function runAll(tasks: readonly Task[], signal: AbortSignal): Promise<readonly (readonly HookAnswer[])[]> {
  // Few need no limit, and most events have one hook.
  if (tasks.length <= MAX_PARALLEL) return Promise.all(tasks.map((task) => task()))
  const settled = await settleAll(tasks, (task) => task(), { limit: MAX_PARALLEL, signal })
  return settled.flatMap((outcome) => (outcome.status === 'done' ? [outcome.value] : []))
}

/** In order: each sees what those before it have rewritten, and a block ends the row. */
async function runRow(
  hooks: readonly LoadedHook[],
  first: Delivery,
  context: RoundContext,
): Promise<readonly HookAnswer[]> {
  const answers: HookAnswer[] = []
  let delivery = first
  let last: Rewrite | undefined
  let ended = false
  for (const hook of hooks) {
    if (ended) {
      answers.push(skipHook(hook, delivery.payload, 'after-block', context.session, context.host))
      continue
    }
    const answer = await ask(hook, delivery, context)
    const { block, stop, rewrite } = answer.reply
    ended = block !== undefined || stop !== undefined
    if (!rewrite) {
      answers.push(answer)
      continue
    }
    const { session, host, signal } = context
    delivery = new Delivery(withRewrite(delivery.payload, rewrite), session, host.root, signal)
    const joined = joinRewrites(last, rewrite)
    last = joined
    // What was built upon is part of the later rewrite, and no rival of it.
    for (const [index, earlier] of answers.entries()) answers[index] = withoutRewrite(earlier)
    answers.push({ ...answer, reply: { ...answer.reply, rewrite: joined } })
  }
  return answers
}

/** A rewrite by parts keeps the parts that only the earlier one has changed. */
function joinRewrites(earlier: Rewrite | undefined, later: Rewrite): Rewrite {
  if (later.field !== 'updatedRequest' && later.field !== 'updatedResponse') return later
  return earlier?.field === later.field ? { ...later, value: { ...earlier.value, ...later.value } } : later
}

function withoutRewrite(answer: HookAnswer): HookAnswer {
  const { rewrite, ...reply } = answer.reply
  return rewrite ? { ...answer, reply, builtUpon: true } : answer
}

async function ask(loaded: LoadedHook, delivery: Delivery, { host, deadline }: RoundContext): Promise<HookAnswer> {
  if (deadline === undefined) return askHook(loaded, delivery, host)
  const left = deadline - host.ports.clock.now()
  if (left <= 0) return skipHook(loaded, delivery.payload, 'out of time', delivery.session, host)
  return askHook(loaded, delivery, host, { timeoutMs: Math.min(loaded.value.timeoutMs, left) })
}
