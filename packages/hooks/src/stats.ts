import type { LifecycleEvent } from '@ext/kernel/contract'
import type { LedgerRecord } from './ledger.js'
import type { ListedHook } from './list.js'

/** What one hook has done. */
export interface HookStats {
  readonly id: string
  readonly hook: string
  readonly event: LifecycleEvent | (string & {})
  /** How often its event was told; a ledger does not know that. */
  readonly fired?: number
  /** How often it ran. */
  readonly matched: number
  /** How often it blocked or ended the run. */
  readonly blocked: number
  /** How often it failed or took too long. */
  readonly failed: number
  /** How often a command ended with each exit code. */
  readonly exitCodes: Readonly<Record<string, number>>
  /** Half of the latest runs took no longer than this; absent when it never ran. */
  readonly p50Ms?: number
  /** 19 of 20 of the latest runs took no longer than this; absent when it never ran. */
  readonly p95Ms?: number
}

/** The hooks that are loaded or wait for approval, with what they have done, in config order. */
export interface HooksStats {
  readonly hooks: readonly HookStats[]
  /** Names of those that never ran. */
  readonly neverFired: readonly string[]
  /** Names of those of which every run failed. */
  readonly alwaysFailing: readonly string[]
}

/** Latest runs of a hook whose times are kept. */
const MAX_TIMES = 1000

interface Counts {
  matched: number
  blocked: number
  failed: number
  readonly exitCodes: Map<number, number>
  readonly times: number[]
}

/** One run, as far as it is counted. */
export interface CountedRun {
  readonly id: string
  readonly blocked: boolean
  readonly failed: boolean
  readonly exitCode: number | undefined
  readonly ms: number
}

/** Counts runs. */
export class Tally {
  readonly #hooks = new Map<string, Counts>()
  readonly #fired = new Map<string, number>()

  fired(event: LifecycleEvent): void {
    this.#fired.set(event, (this.#fired.get(event) ?? 0) + 1)
  }

  add({ id, blocked, failed, exitCode, ms }: CountedRun): void {
    let counts = this.#hooks.get(id)
    if (!counts) {
      counts = { matched: 0, blocked: 0, failed: 0, exitCodes: new Map(), times: [] }
      this.#hooks.set(id, counts)
    }
    counts.times[counts.matched % MAX_TIMES] = ms
    counts.matched++
    if (blocked) counts.blocked++
    if (failed) counts.failed++
    if (exitCode !== undefined) counts.exitCodes.set(exitCode, (counts.exitCodes.get(exitCode) ?? 0) + 1)
  }

  /** @param countsEvents whether it was told of events, and not only of runs */
  stats(listed: readonly ListedHook[], { countsEvents }: { readonly countsEvents: boolean }): HooksStats {
    const hooks = listed
      .filter(({ verdict }) => verdict === 'loaded' || verdict === 'untrusted')
      .map((each) => this.#statsOf(each, countsEvents))
    return {
      hooks,
      neverFired: hooks.filter(({ matched }) => matched === 0).map(({ hook }) => hook),
      alwaysFailing: hooks.filter(({ matched, failed }) => matched > 0 && failed === matched).map(({ hook }) => hook),
    }
  }

  #statsOf({ id, name, hook }: ListedHook, countsEvents: boolean): HookStats {
    const { matched = 0, blocked = 0, failed = 0, exitCodes, times = [] } = this.#hooks.get(id) ?? {}
    const event = hook?.event ?? ''
    const sorted = times.toSorted((a, b) => a - b)
    const [p50Ms, p95Ms] = [0.5, 0.95].map((part) => sorted[Math.ceil(sorted.length * part) - 1])
    return {
      id,
      hook: name,
      event,
      ...(countsEvents ? { fired: this.#fired.get(event) ?? 0 } : {}),
      matched,
      blocked,
      failed,
      exitCodes: Object.fromEntries(exitCodes ?? []),
      ...(p50Ms === undefined ? {} : { p50Ms }),
      ...(p95Ms === undefined ? {} : { p95Ms }),
    }
  }
}

/** What the hooks of a list have done according to a ledger. */
export function summarizeLedger(records: Iterable<LedgerRecord>, listed: readonly ListedHook[]): HooksStats {
  const tally = new Tally()
  for (const { id, outcome, effects, exitCode, ms } of records) {
    if (outcome === 'skipped') continue
    const blocked = effects.includes('block') || effects.includes('stop')
    tally.add({ id, blocked, failed: outcome === 'failed' || outcome === 'timedOut', exitCode, ms })
  }
  return tally.stats(listed, { countsEvents: false })
}
