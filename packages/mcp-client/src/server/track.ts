import type { ToolCallFacts, ToolResult } from '@ext/kernel/contract'
import type { ClockPort } from '@ext/kernel/types'
import { bytesOf } from '../results/fit.js'
import type { CallFacts, FailureKind } from '../types.js'

type Now = Pick<ClockPort, 'now'>

type Facts = Omit<CallFacts, 'server' | 'tool' | 'name'>

/** What a failure says of itself. */
type Said = { readonly phase?: CallFacts['phase']; readonly kind?: FailureKind }

/** What a call has been through so far. */
export class CallTrack {
  #phase: CallFacts['phase'] = 'connect'
  readonly #clock: Now
  readonly #begunAt: number
  #sends = 0
  #sentAt: number | undefined
  #ranMs = 0
  /** When there was nothing more to wait for. */
  #overAt: number | undefined

  constructor(clock: Now) {
    this.#clock = clock
    this.#begunAt = clock.now()
  }

  sent(): void {
    this.#phase = 'call'
    this.#sends++
    this.#sentAt = this.#clock.now()
  }

  /** The server has answered, or will not. */
  answered(): void {
    if (this.#sentAt === undefined) return
    this.#overAt = this.#clock.now()
    this.#ranMs += this.#overAt - this.#sentAt
    this.#sentAt = undefined
  }

  /** @param result absent for a call that was aborted */
  facts(result: ToolResult | undefined): Facts {
    this.answered()
    const { phase, kind }: Said = result ? (result.meta ?? {}) : { kind: 'aborted' }
    return {
      phase: phase ?? this.#phase,
      ...(kind === undefined ? {} : { kind }),
      retries: Math.max(0, this.#sends - 1),
      queueMs: Math.max(0, (this.#overAt ?? this.#clock.now()) - this.#begunAt - this.#ranMs),
      runMs: this.#ranMs,
      bytes: result ? sizeOf(result) : 0,
    }
  }
}

/** Facts of a call that never got to a server. */
export function unsent(result: ToolResult): Facts {
  const { phase, kind }: Said = result.meta ?? {}
  return { phase: phase ?? 'find', ...(kind ? { kind } : {}), retries: 0, queueMs: 0, runMs: 0, bytes: sizeOf(result) }
}

/** The result, with what agents write down about it. */
export function withFacts(result: ToolResult, facts: ToolCallFacts): ToolResult {
  const { phase, kind, retries, queueMs, runMs, bytes } = facts
  const call = { phase, ...(kind === undefined ? {} : { kind }), retries, queueMs, runMs, bytes }
  return { ...result, meta: { ...result.meta, call } }
}

function sizeOf({ content, structured }: ToolResult): number {
  return content.length === 0 && structured !== undefined ? JSON.stringify(structured).length : bytesOf(content)
}
