import { messageOf } from '@ext/kernel'
import type { Attributed, EventResult, LifecycleEvent, LifecyclePayloads } from '@ext/kernel/contract'
import type { RunContext, RunEnd } from './run-context.js'
import { until } from './signals.js'

const NOTHING: EventResult = Object.freeze({ runs: [], context: [], notices: [] })

/**
 * Tells the interceptor that something happens and passes on what its hooks did. Rejects only when `signal` aborts:
 * an interceptor that fails costs its own answer.
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
    run.emit('notice', { text: `${event}: the hooks failed and count as silent: ${messageOf(error)}` })
    return NOTHING
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
