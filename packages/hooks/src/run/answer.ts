import type { HookRun, SessionRef, TraceContext } from '@ext/kernel/contract'
import type { Answer } from '../fold.js'
import type { LoadedHook } from '../match/listeners.js'
import { interpret, type Reply } from '../protocol/reply.js'
import type { ActionResult } from '../protocol/types.js'
import { isSameJson } from '../same-json.js'
import type { ActionHost } from './actions/action.js'
import { runAction } from './actions/index.js'
import type { Delivery } from './delivery.js'
import { original, type SentPayload } from './payload.js'
import type { FailingHook, Watch } from './watch.js'

/** What one hook said, and about what. */
export interface HookAnswer extends Answer {
  readonly loaded: LoadedHook
  readonly run: HookRun
  /** The payload that it was asked about. */
  readonly saw: SentPayload
  /** Of a command that ended by itself. */
  readonly exitCode?: number
  /** Its rewrite is part of that of a later hook. */
  readonly builtUpon?: true
}

/** What asking hooks takes besides what their actions may touch. */
export interface AskHost extends ActionHost {
  readonly watch: Watch
  /** The span of the event that they are asked about. */
  readonly trace?: (() => TraceContext | undefined) | undefined
  /** Hears of hooks that a person should look at. */
  failing(hook: FailingHook): void
}

/** How a hook is asked in another way than it says itself. */
export interface AskOptions {
  readonly timeoutMs?: number
  /** A block reaches the model also where it can keep nothing from happening. */
  readonly wakes?: boolean
}

/** Runs a hook to its end and reads its answer. Never rejects. */
export async function askHook(
  loaded: LoadedHook,
  delivery: Delivery,
  host: AskHost,
  options: AskOptions = {},
): Promise<HookAnswer> {
  const { payload, session } = delivery
  const { timeoutMs = loaded.value.timeoutMs } = options
  const span = host.watch.start(loaded, session, host.trace)
  const result = await runAction(loaded, delivery, host, timeoutMs)
  const answer = readResult(loaded, payload, result, options)
  if (delivery.signal.aborted) {
    // Nobody hears its answer any more, and that it was ended is no fault of its own.
    host.watch.aborted(answer, session, span)
    return answer
  }
  const failing = host.watch.ended(answer, session, span)
  if (failing) host.failing(failing)
  return answer
}

/** Says what the result of a hook means for its event. */
export function readResult(
  loaded: LoadedHook,
  payload: SentPayload,
  result: ActionResult,
  { wakes = false, timeoutMs = loaded.value.timeoutMs }: AskOptions = {},
): HookAnswer {
  const { event, stdout, onFailure } = loaded.value
  const toolInput = 'tool_input' in payload ? { toolInput: payload.tool_input } : undefined
  const rules = { event, stdout, onFailure, timeoutMs, wakes, mcpTool: 'server' in payload, ...toolInput }
  const answer = toAnswer(loaded, payload, withoutIdle(interpret(result, rules), payload), result.ms)
  const exitCode = result.kind === 'ended' ? result.process.exitCode : null
  return exitCode === null ? answer : { ...answer, exitCode }
}

/** A hook that does not run, and why. */
export function skipHook(
  loaded: LoadedHook,
  payload: SentPayload,
  cause: string,
  session: SessionRef,
  host: Pick<AskHost, 'watch'>,
): HookAnswer {
  const answer = startedHook(loaded, payload, cause)
  host.watch.skipped(answer, session)
  return answer
}

/** A hook that says nothing now. */
export function startedHook(loaded: LoadedHook, payload: SentPayload, cause: string): HookAnswer {
  return toAnswer(loaded, payload, { outcome: 'skipped', cause, notices: [] }, 0)
}

function toAnswer(loaded: LoadedHook, saw: SentPayload, reply: Reply, ms: number): HookAnswer {
  const { outcome, cause, reason } = reply
  const run: HookRun = {
    hook: loaded.name,
    outcome,
    ...(cause === undefined ? {} : { cause }),
    ...(reason === undefined ? {} : { reason }),
    ms: Math.round(ms),
    source: loaded.value.place(),
  }
  return { loaded, hook: loaded.name, reply, run, saw }
}

/** A rewrite to what was there already changes nothing, and must not be told as a change. */
function withoutIdle(reply: Reply, payload: SentPayload): Reply {
  const { rewrite, ...others } = reply
  const isIdle = rewrite && isSameJson(original(payload, rewrite), rewrite.value)
  return isIdle ? others : reply
}
