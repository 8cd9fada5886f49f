import { isMap } from '@ext/kernel'
import type { JsonObject, ToolCallFacts } from '@ext/kernel/contract'

/** How a call went where it was run. */
export interface AuditSource {
  readonly phase: ToolCallFacts['phase']
  /** Absent: it did not fail there. */
  readonly kind?: string
  readonly retries: number
  readonly queue_ms: number
  readonly run_ms: number
  readonly bytes: number
}

const PHASES: readonly unknown[] = ['find', 'connect', 'call'] satisfies readonly ToolCallFacts['phase'][]

/** What a result says about its call, if it says it in the form that is agreed on. */
export function sourceFacts(meta: JsonObject | undefined): AuditSource | undefined {
  const facts = meta?.['call']
  if (!isMap(facts) || !PHASES.includes(facts['phase'])) return undefined
  const { phase, kind, retries, queueMs, runMs, bytes } = facts as unknown as ToolCallFacts
  if (![retries, queueMs, runMs, bytes].every(isCount)) return undefined
  return {
    phase,
    ...(typeof kind === 'string' ? { kind } : {}),
    retries,
    queue_ms: queueMs,
    run_ms: runMs,
    bytes,
  }
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
