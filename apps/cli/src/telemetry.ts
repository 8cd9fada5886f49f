import type { Tracer } from '@ext/agent-core/types'
import { messageOf } from '@ext/kernel'
import type { TraceContext } from '@ext/kernel/contract'
import { version } from './package.js'
import { oneLine } from './render/words.js'

/** Spans and metrics of one run of a command, all of them in one trace. */
export interface Telemetry {
  readonly tracer: Tracer
  /** Sends what is left. Never rejects. */
  close(): Promise<void>
}

type Env = Readonly<Record<string, string | undefined>>

/** A collector that does not answer must not keep a person waiting. */
const TIMEOUT_MS = 3000

/**
 * Sends spans and metrics where the variables of OpenTelemetry say, over OTLP with JSON and HTTP. `undefined`, and nothing is
 * loaded, unless one of `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` and
 * `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT` is set. The SDK reads them, and the other `OTEL_*` that it knows, by itself. A
 * program that draws itself says in `TRACEPARENT` and `TRACESTATE` where the command stands in its trace.
 * @param command what the span of the command is called
 */
export async function openTelemetryFrom(
  env: Env,
  command: string,
  report: (text: string) => void,
): Promise<Telemetry | undefined> {
  const all = isSet(env, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  const traces = (all || isSet(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')) && env['OTEL_TRACES_EXPORTER'] !== 'none'
  const metrics = (all || isSet(env, 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT')) && env['OTEL_METRICS_EXPORTER'] !== 'none'
  if (env['OTEL_SDK_DISABLED'] === 'true' || !(traces || metrics)) return undefined
  const protocol = env['OTEL_EXPORTER_OTLP_PROTOCOL'] ?? 'http/json'
  if (protocol === 'grpc') {
    report('OTEL_EXPORTER_OTLP_PROTOCOL is grpc, which ext does not speak; spans and metrics are sent as http/json.')
  }
  const [
    { diag, DiagLogLevel },
    { openTelemetry },
    { defaultResource, detectResources, envDetector, resourceFromAttributes },
    trace,
    metric,
    otlpTraces,
    otlpMetrics,
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@ext/agent-core/otel'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/sdk-metrics'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/exporter-metrics-otlp-http'),
  ])
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'ext', 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }))
  const timeoutMillis = TIMEOUT_MS
  // Some exporters only log what they could not send.
  let problem: string | undefined
  const listen = (text: string) => {
    problem ??= text
  }
  const quiet = () => {}
  const logger = { error: listen, warn: quiet, info: quiet, debug: quiet, verbose: quiet }
  diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true })
  const tracerProvider = new trace.BasicTracerProvider({
    resource,
    spanProcessors: traces ? [new trace.BatchSpanProcessor(new otlpTraces.OTLPTraceExporter({ timeoutMillis }))] : [],
  })
  const meterProvider = new metric.MeterProvider({
    resource,
    readers: metrics
      ? [
          new metric.PeriodicExportingMetricReader({
            exporter: new otlpMetrics.OTLPMetricExporter({ timeoutMillis }),
            exportTimeoutMillis: TIMEOUT_MS,
          }),
        ]
      : [],
  })
  const providers = { tracerProvider, meterProvider }
  const within = traceFrom(env)
  const around = (await openTelemetry({ ...providers, ...(within ? { within } : {}) })).start(command, {
    attributes: {},
  })
  return {
    tracer: await openTelemetry({ ...providers, ...(around.trace ? { within: around.trace } : {}) }),
    async close() {
      around.end()
      const ends = await Promise.allSettled([tracerProvider.forceFlush(), meterProvider.forceFlush()])
      const failed = ends.find((end) => end.status === 'rejected')
      if (failed) listen(reasonOf(failed.reason))
      if (problem !== undefined) report(`Spans and metrics could not all be sent: ${oneLine(problem, 300)}`)
      await Promise.allSettled([tracerProvider.shutdown(), meterProvider.shutdown()])
    },
  }
}

/** The variables that OpenTelemetry has for it ("Environment Variables as Context Propagation Carriers"). */
function traceFrom({ TRACEPARENT: traceparent, TRACESTATE: tracestate }: Env): TraceContext | undefined {
  return traceparent === undefined ? undefined : { traceparent, ...(tracestate === undefined ? {} : { tracestate }) }
}

function isSet(env: Env, name: string): boolean {
  return (env[name] ?? '') !== ''
}

/** The SDK rejects with a list where there is more than one reason. */
function reasonOf(reason: unknown): string {
  return Array.isArray(reason) ? reason.map(messageOf).join('; ') : messageOf(reason)
}
