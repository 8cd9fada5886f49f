import type { TraceContext } from '@ext/kernel/contract'
import type { SpanContext } from '@opentelemetry/api'

/** What is given on, with two digits for the flags; whoever knows a later version has to read this one as well. */
const VERSION = '00'
/** Later versions may have more behind the flags. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** A span as W3C Trace Context writes it. */
export function traceOf({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceContext {
  const flags = (traceFlags & 0xff).toString(16).padStart(2, '0')
  const tracestate = traceState?.serialize() ?? ''
  const traceparent = `${VERSION}-${traceId}-${spanId}-${flags}`
  return { traceparent, ...(tracestate === '' ? {} : { tracestate }) }
}

/** `undefined` for what names no span. */
export function spanContextOf(
  {
    createTraceState,
    isSpanContextValid,
  }: Pick<typeof import('@opentelemetry/api'), 'createTraceState' | 'isSpanContextValid'>,
  { traceparent, tracestate }: TraceContext,
): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? []
  if (traceId === undefined || spanId === undefined) return undefined
  const traceState = tracestate === undefined ? {} : { traceState: createTraceState(tracestate) }
  const at = { traceId, spanId, traceFlags: Number.parseInt(flags ?? '0', 16), ...traceState }
  return isSpanContextValid(at) ? at : undefined
}
