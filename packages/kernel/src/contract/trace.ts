/** Where something stands in a trace, as W3C Trace Context has it: what goes along to whoever does a part of it elsewhere. */
export interface TraceContext {
  /** Version, trace, span and flags: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. */
  readonly traceparent: string
  readonly tracestate?: string
}
