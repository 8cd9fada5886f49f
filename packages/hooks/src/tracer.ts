import type { TraceContext } from '@ext/kernel/contract'

/** Values that a span can carry. */
export type HookSpanAttributes = Readonly<Record<string, string | number | boolean>>

/**
 * Draws each run of a hook as a span `ext.hook.run`. The agent loop draws `ext.hook.dispatch`, one for all hooks of an
 * event. A tracer of `@ext/agent-core` fits.
 */
export interface HookTracer {
  /** @param options.within the span of the event; absent where the agent has told none */
  start(name: string, options: { readonly attributes: HookSpanAttributes; readonly within?: TraceContext }): HookSpan
}

export interface HookSpan {
  readonly traceId?: string
  set(attributes: HookSpanAttributes): void
  /** @param error what kind of error ended it */
  end(error?: string): void
}
