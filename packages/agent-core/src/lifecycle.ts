import { messageOf } from '@ext/kernel'
import type { Attributed, EventResult, LifecycleEvent, LifecyclePayloads } from '@ext/kernel/contract'
import type { RunContext, RunEnd } from './run-context.js'
import { until } from './signals.js'

const NOTHING: EventResult = Object.freeze({ runs: [], context: [], notices: [] })

/** One of the hooks that failed may be a guard. Nobody knows what it would have said, so somebody is asked. */
const UNKNOWN: EventResult = Object.freeze<EventResult>({
  ...NOTHING,
  opinion: { behavior: 'ask', by: 'hooks', reason: 'they failed before they could say anything' },
})

/**
 * Tells the interceptor that something happens and passes on what its hooks did. Rejects only when `signal` aborts:
 * an interceptor that fails costs its own answer, and a call that it should have judged has to be asked.
 */
export async function fire<E extends LifecycleEvent>(
  run: RunContext,
  event: E,
  payload: () => LifecyclePayloads[E],
  options: { readonly signal: AbortSignal; readonly callId?: string },
): Promise<EventResult> {
  const { signal, callId } = options
  signal.throwIfAborted()
  let result: EventResult
  try {
    const answer = run.session.interceptor?.fire(event, payload, { signal })
    if (answer === undefined) return NOTHING
    // A host in plain JavaScript may leave out what it has nothing to say about.
    result = { ...NOTHING, ...(await until(signal, answer)) }
  } catch (error) {
    if (signal.aborted) throw error
    const judges = event === 'PreToolUse'
    const effect = judges ? 'the call has to be asked' : 'they count as silent'
    run.emit('notice', { text: `${event}: the hooks failed, so ${effect}: ${messageOf(error)}` })
    return judges ? UNKNOWN : NOTHING
  }
  for (const { hook, outcome, cause, reason, ms } of result.runs) {
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
  for (const notice of result.notices) run.emit('notice', notice)
  return result
}

/** How a hook's words look to the model. */
export function attributed({ by, text }: Attributed): string {
  return `[hook ${by}] ${text}`
}

/** The end of a run that a hook asked for with `continue: false`. */
export function stoppedBy(stop: NonNullable<EventResult['stop']>): RunEnd {
  return { reason: 'stopped', notice: { by: stop.by, text: stop.reason } }
}
