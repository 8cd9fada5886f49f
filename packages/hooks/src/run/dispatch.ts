import { canonicalJson, settleAll } from '@ext/kernel'
import type { EventResult, HookRun, SessionRef } from '@ext/kernel/contract'
import { type Answer, fold } from '../fold.js'
import type { Listeners, LoadedHook } from '../match/listeners.js'
import { interpret, type Reply } from '../protocol/reply.js'
import type { ActionHost } from './actions/action.js'
import { runAction } from './actions/index.js'
import { Delivery } from './delivery.js'
import type { OnceMarks } from './once.js'
import { original, type SentPayload } from './payload.js'

/** Processes that one event may have at a time. */
const MAX_PARALLEL = 16

export interface Dispatch {
  readonly session: SessionRef
  readonly payload: SentPayload
  /** In config order, and claimed in `marks`. */
  readonly matched: readonly LoadedHook[]
  /** All hooks of the event, to find those that a rewritten input concerns. */
  readonly listeners: Listeners
  readonly marks: OnceMarks
  readonly signal: AbortSignal
}

/**
 * Runs the hooks of one event in parallel and folds their answers in config order. When one of them rewrites the input,
 * the others see the new input once, so that no guard judges a call that is not the one that runs.
 * Rejects with the reason of `signal` when it aborts.
 */
export async function dispatch(request: Dispatch, host: ActionHost): Promise<EventResult> {
  const { payload, listeners } = request
  const first = (await runAll(request.matched, payload, request, host)).map((answer) => withoutIdle(answer, payload))
  const result = foldAnswers(payload, first, first)
  const rewrite = result.updatedInput
  if (!rewrite || result.stop) return result

  const rewriter = first.findLast(({ reply }) => reply.rewrite)?.loaded
  const rewritten = { ...payload, tool_input: rewrite.input, rewritten: true } as SentPayload
  const others = listeners.matching(rewritten, payload.cwd).filter((hook) => hook !== rewriter)
  const guards = request.marks.claim(others)
  if (guards.length === 0) return result

  const second = (await runAll(guards, rewritten, request, host)).map(withoutRewrite)
  const latest = new Map([...first, ...second].map((answer) => [answer.loaded, answer]))
  const final = foldAnswers(payload, listeners.inOrder(latest), [...first, ...second])
  const added = final.notices.filter((notice) => !result.notices.some((known) => isSame(known, notice)))
  return { ...final, ...(final.block ? {} : { updatedInput: rewrite }), notices: [...result.notices, ...added] }
}

interface HookAnswer extends Answer {
  readonly loaded: LoadedHook
  readonly run: HookRun
}

function foldAnswers(
  { hook_event_name: event }: SentPayload,
  answers: readonly HookAnswer[],
  ran: readonly HookAnswer[],
): EventResult {
  return fold(
    event,
    answers,
    ran.map(({ run }) => run),
  )
}

async function runAll(
  hooks: readonly LoadedHook[],
  payload: SentPayload,
  { marks, session, signal }: Pick<Dispatch, 'marks' | 'session' | 'signal'>,
  host: ActionHost,
): Promise<readonly HookAnswer[]> {
  const delivery = new Delivery(payload, session, host.root, signal)
  const settled = await settleAll(hooks, (hook) => runOne(hook, delivery, host), {
    limit: MAX_PARALLEL,
    signal,
  })
  if (signal.aborted) for (const hook of hooks) marks.release(hook)
  signal.throwIfAborted()
  const answers = settled.flatMap((outcome) => (outcome.status === 'done' ? [outcome.value] : []))
  for (const { loaded, reply } of answers) {
    if (reply.outcome === 'failed' || reply.outcome === 'timedOut') marks.release(loaded)
  }
  return answers
}

async function runOne(loaded: LoadedHook, delivery: Delivery, host: ActionHost): Promise<HookAnswer> {
  const result = await runAction(loaded.value, delivery, host)
  const reply = interpret(result, { ...loaded.value, mcpTool: 'server' in delivery.payload })
  return { loaded, hook: loaded.name, reply, run: toRun(loaded, reply, result.ms) }
}

function toRun(loaded: LoadedHook, { outcome, cause, reason }: Reply, ms: number): HookRun {
  return {
    hook: loaded.name,
    outcome,
    ...(cause === undefined ? {} : { cause }),
    ...(reason === undefined ? {} : { reason }),
    ms: Math.round(ms),
    source: loaded.at(),
  }
}

/** A rewrite to what was there already changes nothing, and must not be told as a change. */
function withoutIdle(answer: HookAnswer, payload: SentPayload): HookAnswer {
  const { rewrite, ...reply } = answer.reply
  const isIdle = rewrite && canonicalJson(original(payload, rewrite)) === canonicalJson(rewrite.value)
  return isIdle ? { ...answer, reply } : answer
}

/** There is one round of rewriting; a hook that wants another one is told. */
function withoutRewrite(answer: HookAnswer): HookAnswer {
  const { rewrite, ...reply } = answer.reply
  if (!rewrite) return answer
  const notice = `ignored: ${rewrite.field}, since the input was rewritten already`
  return { ...answer, reply: { ...reply, notices: [...reply.notices, notice] } }
}

function isSame(a: { readonly by: string; readonly text: string }, b: typeof a): boolean {
  return a.by === b.by && a.text === b.text
}
