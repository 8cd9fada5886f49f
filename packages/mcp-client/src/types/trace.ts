import type { TraceContext } from '@ext/kernel/contract'

/** Values that a span can carry. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** Draws what takes time as spans. */
export interface McpTracer {
  /** @param options.within the span of the call; absent for what belongs to no call, or to one of which nothing was told */
  start(name: string, options: { readonly attributes: SpanAttributes; readonly within?: TraceContext }): McpSpan
}

export interface McpSpan {
  /** What the server is told of it. Default: it is told of the call's. */
  readonly trace?: TraceContext | undefined
  set?(attributes: SpanAttributes): void
  /** @param error what kind of error ended it */
  end(error?: string): void
}
