import type { TraceContext } from '@ext/kernel/contract'
import type { MeterProvider, Span as OtelSpan, TracerProvider } from '@opentelemetry/api'
import type { Span, SpanAttributes, Tracer } from '../trace.js'
import { createMetrics } from './metrics.js'
import { spanContextOf, traceOf } from './propagation.js'

/** Where spans and metrics go. */
export interface OpenTelemetryOptions {
  /** Default: that which the program has registered with `@opentelemetry/api`. */
  readonly tracerProvider?: TracerProvider
  /** Default: that which the program has registered with `@opentelemetry/api`. */
  readonly meterProvider?: MeterProvider
  /** Below which span those stand that are below no other, such as that of a command. Default: what the program is in. */
  readonly within?: TraceContext
}

const NAME = '@ext/agent-core'
/** Names the session in spans that know no other. */
const SESSION = 'ext.session.id'
const CONVERSATION = 'gen_ai.conversation.id'

/** A span with what belongs to it on this side. */
interface Drawn extends Span {
  readonly otel: OtelSpan
}

/**
 * A tracer for `createAgent`, `createHooks` and `createMcpClient`: `invoke_agent`, `chat`, `execute_tool`,
 * `ext.permission.decide`, `ext.hook.dispatch`, `ext.hook.run`, `ext.mcp.connect` and `tools/call` as spans, and metrics of
 * them. Names are those of OpenTelemetry's conventions for GenAI and MCP where they have one, copied, since none of them is
 * stable. There is nothing in them of what people, models and tools have said. Rejects if `@opentelemetry/api` is not installed.
 */
export async function openTelemetry(options: OpenTelemetryOptions = {}): Promise<Tracer> {
  const api = await import('@opentelemetry/api')
  const { context, metrics, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api
  const tracer = (options.tracerProvider ?? trace).getTracer(NAME)
  const measure = createMetrics((options.meterProvider ?? metrics).getMeter(NAME))
  /** The runs under way, by session: a hook that only knows its session is drawn in its run. */
  const runs = new Map<string, OtelSpan>()
  const spanAt = (place: TraceContext | undefined): OtelSpan | undefined => {
    const at = place && spanContextOf(api, place)
    return at && trace.wrapSpanContext(at)
  }
  const outermost = spanAt(options.within)

  return {
    start(name, { attributes, parent, within: place }) {
      const session = attributes[SESSION]
      const above =
        (parent as Drawn | undefined)?.otel ??
        spanAt(place) ??
        (session === undefined ? undefined : runs.get(String(session))) ??
        outermost
      const asks = attributes['gen_ai.operation.name'] === 'chat' || attributes['mcp.method.name'] !== undefined
      const kind = asks ? SpanKind.CLIENT : SpanKind.INTERNAL
      // A host that draws spans of its own may be in the middle of one.
      const within = above ? trace.setSpan(ROOT_CONTEXT, above) : context.active()
      const otel = tracer.startSpan(name, { kind, attributes }, within)
      const conversation = parent ? undefined : attributes[CONVERSATION]
      if (conversation !== undefined) runs.set(String(conversation), otel)
      const at = otel.spanContext()
      let known: SpanAttributes = attributes
      const started = performance.now()
      const drawn: Drawn = {
        otel,
        // Where the program has set nothing up, the ids are zeros.
        ...(api.isSpanContextValid(at) ? { traceId: at.traceId } : {}),
        get trace() {
          return api.isSpanContextValid(at) ? traceOf(at) : undefined
        },
        set(more) {
          known = { ...known, ...more }
          otel.setAttributes(more)
        },
        end(error) {
          if (conversation !== undefined && runs.get(String(conversation)) === otel) runs.delete(String(conversation))
          if (error !== undefined) {
            otel.setAttribute('error.type', error)
            otel.setStatus({ code: SpanStatusCode.ERROR })
          }
          otel.end()
          measure(name, known, (performance.now() - started) / 1000, error)
        },
      }
      return drawn
    },
  }
}
