import { formatPlace } from '@ext/kernel'
import type { HookOutcome, HookRun, LifecycleEvent, SessionRef } from '@ext/kernel/contract'
import type { CompiledHook } from './compile.js'
import { comparedText } from './config/condition.js'
import type { LoadedHook } from './match/listeners.js'
import type { Reply } from './protocol/reply.js'
import type { SentPayload } from './run/payload.js'

/** What a hook changed, or whom it told something. */
export type LedgerEffect =
  | 'block'
  | 'stop'
  | 'allow'
  | 'ask'
  | 'retry'
  | 'accept'
  | 'decline'
  | 'cancel'
  | 'updatedInput'
  | 'updatedToolOutput'
  | 'updatedRequest'
  | 'updatedResponse'
  | 'context'
  | 'notice'

/** One run of one hook. Holds no contents: neither inputs nor outputs nor reasons, which may hold secrets. */
export interface LedgerRecord {
  /** When it ended, ISO 8601. */
  readonly at: string
  readonly session: string
  /** Kind of the sub-agent whose event it was. */
  readonly agent?: string
  readonly event: LifecycleEvent
  /** As in `list()`. */
  readonly id: string
  readonly hook: string
  /** `file:line:column`. */
  readonly place: string
  /** What made it run: its matcher and `if`, as they are written. */
  readonly why: string
  readonly outcome: HookOutcome
  /** Short and stable, for example `exit 1`. */
  readonly cause?: string
  /** Of a command that ended by itself. */
  readonly exitCode?: number
  readonly ms: number
  readonly effects: readonly LedgerEffect[]
  readonly toolUseId?: string
  /** Of the span of the run, if the tracer has one. */
  readonly traceId?: string
}

/** Where runs are written down. */
export interface LedgerPort {
  /** Called once for each run that has ended; has to be quick. One that throws is reported once and not called again. */
  write(record: LedgerRecord): void
}

/** What is known of a run when it has ended. */
export interface EndedRun {
  readonly loaded: LoadedHook
  readonly run: HookRun
  readonly reply: Reply
  readonly saw: SentPayload
  readonly exitCode?: number
}

export function toRecord(
  { loaded, run, reply, saw, exitCode }: EndedRun,
  session: SessionRef,
  at: number,
  traceId: string | undefined,
): LedgerRecord {
  const { outcome, cause, ms } = run
  return {
    at: new Date(at).toISOString(),
    session: session.id,
    ...(session.agent ? { agent: session.agent.type } : {}),
    event: loaded.value.event,
    id: loaded.id,
    hook: loaded.name,
    place: formatPlace(loaded.value.place()),
    why: whyItRan(loaded.value),
    outcome,
    ...(cause === undefined ? {} : { cause }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ms,
    effects: effectsOf(reply),
    ...('tool_use_id' in saw ? { toolUseId: saw.tool_use_id } : {}),
    ...(traceId === undefined ? {} : { traceId }),
  }
}

function whyItRan({ event, written: { matcher, condition } }: CompiledHook): string {
  const text = comparedText(condition)
  return [matcher ? `matcher ${matcher}` : `every ${event}`, ...(text === undefined ? [] : [`if ${text}`])].join(', ')
}

function effectsOf({ block, stop, opinion, retry, answer, rewrite, context, notices }: Reply): readonly LedgerEffect[] {
  return [
    ...(block === undefined ? [] : (['block'] as const)),
    ...(stop === undefined ? [] : (['stop'] as const)),
    ...(opinion === undefined ? [] : [opinion]),
    ...(retry ? (['retry'] as const) : []),
    ...(answer ? [answer.action] : []),
    ...(rewrite ? [rewrite.field] : []),
    ...(context === undefined ? [] : (['context'] as const)),
    ...(notices.length > 0 ? (['notice'] as const) : []),
  ]
}
