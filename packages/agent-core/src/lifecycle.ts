import { messageOf } from '@ext/kernel'
import type { Attributed, EventResult, LifecycleEvent, LifecyclePayloads } from '@ext/kernel/contract'
import { checkedResult, NOTHING } from './event-result.js'
import type { RunContext, RunEnd } from './run-context.js'
import { createLimit } from './signals.js'
import { claimUnclaimed, type Spent, spend } from './spending.js'
import { type LiveSpan, startSpan } from './trace.js'

/** One of the hooks that failed may be a guard. Nobody knows what it would have said, so somebody is asked. */
const UNKNOWN: EventResult = Object.freeze<EventResult>({
  ...NOTHING,
  opinion: { behavior: 'ask', by: 'hooks', reason: 'they failed before they could say anything' },
})

/** What firing an event needs of a run; the end of a session has no run. */
export type Firing = Pick<
  RunContext,
  'agent' | 'session' | 'durable' | 'health' | 'span' | 'spent' | 'unclaimed' | 'emit'
>

export interface FireOptions {
  readonly signal: AbortSignal
  /** Where in the run it is fired; unique for the event. */
  readonly place: string | number
  readonly callId?: string
  /** Default: the span of the run. */
  readonly span?: LiveSpan | undefined
  /** It is told even when `signal` has aborted, and then nobody waits for an answer. */
  readonly inAnyCase?: boolean
}

/** What came of one event, as a step remembers it. */
interface Dispatched {
  /** `null`: nobody listens, or nobody had an answer. */
  readonly result: EventResult | null
  readonly failed?: string
  /** What sub-agents of hooks have used. */
  readonly spent?: Spent
}

/**
 * Tells the interceptor that something happens and passes on what its hooks did. Rejects only when `signal` aborts, or the
 * engine behind the steps fails: an interceptor that fails costs its own answer, and a call that it should have judged
 * has to be asked.
 */
export async function fire<E extends LifecycleEvent>(
  run: Firing,
  event: E,
  payload: () => LifecyclePayloads[E],
  options: FireOptions,
): Promise<EventResult> {
  const { signal, place } = options
  if (signal.aborted && options.inAnyCase) tellOnly(run, event, payload, signal)
  signal.throwIfAborted()
  if (!run.session.interceptor) return NOTHING
  let live = false
  const { result, failed, spent } = await run.durable.step(`hooks:${event}:${place}`, () => {
    live = true
    return dispatch(run, event, payload, options)
  })
  if (spent && !live) spend(run.spent, spent)
  if (failed !== undefined) {
    const judges = event === 'PreToolUse'
    const effect = judges ? 'the call has to be asked' : 'they count as silent'
    run.emit('notice', { text: `${event}: the hooks failed, so ${effect}: ${failed}` })
    return judges ? UNKNOWN : NOTHING
  }
  if (!result) return NOTHING
  report(run, event, result, options.callId)
  return result
}

/** Rejects only when the signal aborts. */
async function dispatch<E extends LifecycleEvent>(
  run: Firing,
  event: E,
  payload: () => LifecyclePayloads[E],
  { signal, span }: FireOptions,
): Promise<Dispatched> {
  const limit = createLimit(run.agent.clock, run.agent.limits.hooksTimeoutMs, signal)
  let drawn: LiveSpan | undefined
  const draw = () => {
    drawn ??= startSpan(run, 'ext.hook.dispatch', span ?? run.span, { 'ext.hook.event': event })
    return drawn
  }
  try {
    const answer = run.session.interceptor?.fire(event, payload, {
      get signal() {
        return limit.signal
      },
      get trace() {
        return draw()?.trace
      },
    })
    if (answer === undefined) {
      drawn?.end()
      return { result: null }
    }
    draw()
    const result = checkedResult(await limit.hold(answer))
    // What no engine could keep is an answer that can't be used; it is not the engine that has failed.
    if (run.durable.remembers) JSON.stringify(result)
    drawn?.end()
    return { result, ...claimUnclaimed(run.unclaimed) }
  } catch (error) {
    drawn?.end('hooks')
    if (signal.aborted) throw signal.reason
    return { result: null, failed: messageOf(error), ...claimUnclaimed(run.unclaimed) }
  }
}

/** The time is over, but the event has happened, and whoever has heard of its beginning hears of its end. */
function tellOnly<E extends LifecycleEvent>(
  run: Firing,
  event: E,
  payload: () => LifecyclePayloads[E],
  signal: AbortSignal,
): void {
  try {
    Promise.resolve(run.session.interceptor?.fire(event, payload, { signal })).catch(() => {})
  } catch {
    // It has been told; that it could not listen any more changes nothing.
  }
}

export function report(
  run: Pick<RunContext, 'emit'>,
  event: LifecycleEvent,
  { runs, notices }: EventResult,
  callId: string | undefined,
): void {
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
  for (const { by, text } of notices) run.emit('notice', { by, text })
}

/** How a hook's words look to the model. */
export function attributed({ by, text }: Attributed): string {
  return `[hook ${by}] ${text}`
}

/** Says that a block has no effect at an event that only tells. */
export function sayBlockIgnored(run: Pick<RunContext, 'emit'>, { block }: EventResult, why: string): void {
  if (block) run.emit('notice', { by: block.by, text: `block ignored, ${why}: ${block.reason}` })
}

/** The end of a run that a hook asked for with `continue: false`. */
export function stoppedBy(stop: NonNullable<EventResult['stop']>): RunEnd {
  return { reason: 'stopped', notice: { by: stop.by, text: stop.reason } }
}
