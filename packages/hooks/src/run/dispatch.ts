import type { EventResult, JsonObject } from '@ext/kernel/contract'
import { fold } from '../fold.js'
import type { Listeners, LoadedHook } from '../match/listeners.js'
import type { Subject } from '../match/subject.js'
import { isSameJson } from '../same-json.js'
import type { BegunCall } from './actions/function.js'
import type { HookAnswer } from './answer.js'
import { original, type SentPayload } from './payload.js'
import { type RoundContext, runRound } from './round.js'

export interface Dispatch extends RoundContext {
  readonly subject: Subject
  /** In config order, and claimed in `marks`; all of them are waited for. */
  readonly matched: readonly LoadedHook[]
  /** What was begun of them before. */
  readonly begun?: BegunCall
  /** Those that fit as well and that nobody waits for; they have been started. */
  readonly unwaited: readonly LoadedHook[]
  /** Starts others of that kind. */
  start(hooks: readonly LoadedHook[], payload: SentPayload): readonly HookAnswer[]
  /** All hooks of the event, to find those that a rewritten input concerns. */
  readonly listeners: Listeners
}

/**
 * Runs the hooks of one event and folds their answers in config order. When one of them rewrites the input, the others see
 * the new input once, so that no guard judges a call that is not the one that runs.
 * Rejects with the reason of `signal` when it aborts.
 */
export async function dispatch(request: Dispatch): Promise<EventResult> {
  const { payload } = request.subject
  const first = await runRound(request.matched, payload, request, request.begun)
  const result = foldAnswers(payload, first, first)
  const { updatedInput: rewrite, ...rest } = result
  const input = rewrite?.input ?? rewriteOf(result.answer)
  if (!input || result.stop) return result
  // Two in a row can undo each other.
  if (isInput(payload, input)) return rest

  const rewritten = { ...payload, tool_input: input, rewritten: true } as SentPayload
  const guards = unheardGuards(request, first, rewritten, input)
  const started = request.start(unheardOf(request, rewritten), rewritten)
  const second = (await runRound(guards, rewritten, request)).map(withoutRewrite)
  const latest = new Map(first.map((answer) => [answer.loaded, forInput(answer, input)]))
  for (const answer of second) latest.set(answer.loaded, answer)
  const final = foldAnswers(payload, request.listeners.inOrder(latest), [...first, ...second, ...started])
  const added = final.notices.filter((notice) => !result.notices.some((known) => isSame(known, notice)))
  const kept = rewrite && !final.block ? { updatedInput: rewrite } : {}
  return { ...final, ...kept, notices: [...result.notices, ...added] }
}

/** Who allows a request may do so for another input. */
function rewriteOf(answer: EventResult['answer']): JsonObject | undefined {
  return answer?.behavior === 'allow' ? answer.updatedInput : undefined
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

/** The hooks that nobody waits for and that only the new input concerns. */
function unheardOf({ listeners, marks, subject, unwaited }: Dispatch, rewritten: SentPayload): readonly LoadedHook[] {
  const concerned = listeners.matching(subject.changed(rewritten))
  return marks.claim(concerned.filter((hook) => hook.value.background && !unwaited.includes(hook)))
}

/** The hooks that have not seen the input that is to run. Those that made it know it. */
function unheardGuards(
  { listeners, marks, subject }: Dispatch,
  first: readonly HookAnswer[],
  rewritten: SentPayload,
  input: JsonObject,
): readonly LoadedHook[] {
  const asked = new Map(first.map((answer) => [answer.loaded, answer]))
  const last = first.findLast(({ reply }) => reply.rewrite)
  const makers = [last, ...first.filter(({ builtUpon }) => builtUpon)].map((answer) => answer?.loaded)
  const concerned = listeners
    .matching(subject.changed(rewritten))
    .filter((hook) => !makers.includes(hook) && !hook.value.background && !knows(asked.get(hook), input))
  const claimed = new Set(marks.claim(concerned.filter((hook) => !asked.has(hook))))
  return concerned.filter((hook) => asked.has(hook) || claimed.has(hook))
}

function knows(answer: HookAnswer | undefined, input: JsonObject): boolean {
  return answer !== undefined && isInput(answer.saw, input)
}

function isInput(payload: SentPayload, value: JsonObject): boolean {
  return isSameJson(original(payload, { field: 'updatedInput', value }), value)
}

/** An allow for another input is none for the one that is to run. */
function forInput(answer: HookAnswer, input: JsonObject): HookAnswer {
  const { opinion, rules: _, ...reply } = answer.reply
  if (opinion !== 'allow' || reply.rewrite || answer.builtUpon || knows(answer, input)) return answer
  return { ...answer, reply }
}

/** There is one round of rewriting; a hook that wants another one is told. What it allows is what it would have made of it. */
function withoutRewrite(answer: HookAnswer): HookAnswer {
  const { rewrite, opinion, rules: _, ...others } = answer.reply
  if (!rewrite) return answer
  const reply = opinion === 'ask' ? { ...others, opinion } : others
  const notice = `ignored: ${rewrite.field}, since the input was rewritten already`
  return { ...answer, reply: { ...reply, notices: [...reply.notices, notice] } }
}

function isSame(a: { readonly by: string; readonly text: string }, b: typeof a): boolean {
  return a.by === b.by && a.text === b.text
}
