import { ExtError, isMap, messageOf } from '@ext/kernel'
import type { Attributed, EventResult, LifecycleEvent, LifecyclePayloads } from '@ext/kernel/contract'
import type { RunContext, RunEnd } from './run-context.js'
import { createLimit } from './signals.js'
import { type LiveSpan, startSpan } from './trace.js'

const NOTHING: EventResult = Object.freeze({ runs: [], context: [], notices: [] })

/** One of the hooks that failed may be a guard. Nobody knows what it would have said, so somebody is asked. */
const UNKNOWN: EventResult = Object.freeze<EventResult>({
  ...NOTHING,
  opinion: { behavior: 'ask', by: 'hooks', reason: 'they failed before they could say anything' },
})

/** What firing an event needs of a run; the end of a session has no run. */
export type Firing = Pick<RunContext, 'agent' | 'session' | 'durable' | 'tracing' | 'span' | 'emit'>

export interface FireOptions {
  readonly signal: AbortSignal
  /** Where in the run it is fired; unique for the event. */
  readonly place: string | number
  readonly callId?: string
  /** Default: the span of the run. */
  readonly span?: LiveSpan | undefined
}

/**
 * Tells the interceptor that something happens and passes on what its hooks did. Rejects only when `signal` aborts:
 * an interceptor that fails costs its own answer, and a call that it should have judged has to be asked.
 */
export async function fire<E extends LifecycleEvent>(
  run: Firing,
  event: E,
  payload: () => LifecyclePayloads[E],
  options: FireOptions,
): Promise<EventResult> {
  const { signal, place } = options
  signal.throwIfAborted()
  if (!run.session.interceptor) return NOTHING
  let result: EventResult | null
  try {
    result = await run.durable.step(`hooks:${event}:${place}`, () => ask(run, event, payload, options))
    if (result === null) return NOTHING
  } catch (error) {
    if (signal.aborted) throw error
    const judges = event === 'PreToolUse'
    const effect = judges ? 'the call has to be asked' : 'they count as silent'
    run.emit('notice', { text: `${event}: the hooks failed, so ${effect}: ${messageOf(error)}` })
    return judges ? UNKNOWN : NOTHING
  }
  report(run, event, result, options.callId)
  return result
}

/** `null`: nobody listens. */
async function ask<E extends LifecycleEvent>(
  run: Firing,
  event: E,
  payload: () => LifecyclePayloads[E],
  { signal: parent, span }: FireOptions,
): Promise<EventResult | null> {
  const limit = createLimit(run.agent.clock, run.agent.limits.hooksTimeoutMs, parent)
  const answer = run.session.interceptor?.fire(event, payload, limit)
  if (answer === undefined) return null
  const dispatch = startSpan(run, 'ext.hook.dispatch', span ?? run.span, { 'ext.hook.event': event })
  try {
    const result = checked(await limit.hold(answer))
    dispatch?.end()
    return result
  } catch (error) {
    dispatch?.end('hooks')
    throw error
  }
}

/** A host in plain JavaScript may leave out what it has nothing to say about, and may get the rest wrong. */
function checked(answer: unknown): EventResult | null {
  if (answer === undefined || answer === null) return null
  const result = { ...NOTHING, ...(answer as Partial<EventResult>) }
  const lists: readonly unknown[] = [result.runs, result.context, result.notices]
  if (isMap(answer) && lists.every((list) => Array.isArray(list))) return result
  throw new ExtError('agent-core.interceptor.answer', 'what they answered is no result of an event')
}

function report(run: Firing, event: LifecycleEvent, { runs, notices }: EventResult, callId: string | undefined): void {
  for (const { hook, outcome, cause, reason, ms } of runs) {
    run.emit('hook', {
      event,
      hook,
      outcome,
      ms,
      ...(cause === undefined ? {} : { cause }),
      ...(reason === undefined ? {} : { reason }),
      ...(callId === undefined ? {} : { tool_use_id: callId }),
    })
  }
  for (const notice of notices) run.emit('notice', notice)
}

/** How a hook's words look to the model. */
export function attributed({ by, text }: Attributed): string {
  return `[hook ${by}] ${text}`
}

/** Says that a block has no effect at an event that only tells. */
export function sayBlockIgnored(run: Firing, { block }: EventResult, why: string): void {
  if (block) run.emit('notice', { by: block.by, text: `block ignored, ${why}: ${block.reason}` })
}

/** The end of a run that a hook asked for with `continue: false`. */
export function stoppedBy(stop: NonNullable<EventResult['stop']>): RunEnd {
  return { reason: 'stopped', notice: { by: stop.by, text: stop.reason } }
}
