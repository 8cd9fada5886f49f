import { messageOf } from '@ext/kernel'
import type { TraceContext } from '@ext/kernel/contract'
import type { RunContext } from './run-context.js'
import { whenRejected } from './signals.js'

/** Values that a span can carry. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/**
 * Draws what happens as spans: `invoke_agent`, `chat`, `execute_tool`, `ext.permission.decide` and `ext.hook.dispatch`,
 * with the `gen_ai.*` attributes of OpenTelemetry's conventions where they have a name. No contents. One that fails is
 * not asked again in its run, and that is said.
 */
export interface Tracer {
  start(
    name: string,
    options: {
      readonly attributes: SpanAttributes
      readonly parent?: Span
      /** Where it stands, for whoever has no span of this tracer in hand. */
      readonly within?: TraceContext
    },
  ): Span
}

export interface Span {
  readonly traceId?: string
  /** What goes along to whoever does a part of what it shows. Read only when somebody asks for it. */
  readonly trace?: TraceContext | undefined
  set(attributes: SpanAttributes): void
  /** @param error what kind of error ended it */
  end(error?: string): void
}

/** A span of a tracer that is allowed to fail. */
export interface LiveSpan {
  readonly traceId?: string
  readonly trace: TraceContext | undefined
  /** As the tracer made it, to be a parent. */
  readonly raw: Span
  set(attributes: SpanAttributes): void
  end(error?: string): void
}

/** Starts a span, or none without a tracer. */
export function startSpan(
  run: Pick<RunContext, 'agent' | 'health' | 'emit'>,
  name: string,
  parent: LiveSpan | undefined,
  attributes: SpanAttributes,
): LiveSpan | undefined {
  const { tracer } = run.agent
  if (!tracer) return undefined
  const giveUp = (error: unknown) => {
    if (run.health.tracingFailed) return
    run.health.tracingFailed = true
    run.emit('notice', { text: `Tracing failed and is off for this run: ${messageOf(error)}` })
  }
  const guarded = <T>(work: () => T): T | undefined => {
    if (run.health.tracingFailed) return undefined
    try {
      const made = work()
      whenRejected(made, giveUp)
      return made
    } catch (error) {
      giveUp(error)
      return undefined
    }
  }
  const raw = guarded(() => tracer.start(name, { attributes, ...(parent ? { parent: parent.raw } : {}) }))
  if (!raw) return undefined
  const traceId = guarded(() => raw.traceId)
  return {
    raw,
    ...(traceId === undefined ? {} : { traceId }),
    get trace() {
      return guarded(() => raw.trace)
    },
    set: (more) => guarded(() => raw.set(more)),
    end: (error) => guarded(() => raw.end(error)),
  }
}
