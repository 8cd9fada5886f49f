/**
 * Spans and metrics of runs on OpenTelemetry (`@ext/agent-core/otel`). Needs `@opentelemetry/api`, which is loaded when it is
 * asked for.
 * @module
 */
export { type OpenTelemetryOptions, openTelemetry } from './tracer.js'
