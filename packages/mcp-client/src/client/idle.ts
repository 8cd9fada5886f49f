import type { Diagnostic, Snapshot } from '@ext/kernel'
import type { CompiledServer } from '../compiled.js'
import type { ServerStatus } from '../types.js'

const HINTS = {
  untrusted: 'Read what it would start or reach, then approve it.',
  disabled: 'Its entry says `enabled: false`.',
} as const

/** Servers that are configured and not started, and since when that is so. */
export class Idle {
  #rows: readonly ServerStatus[] = []

  get rows(): readonly ServerStatus[] {
    return this.#rows
  }

  /** @param refused what policies keep off */
  update({ entries, records }: Snapshot<CompiledServer>, refused: readonly Diagnostic[], now: number): void {
    const started = new Set(entries.map(({ name }) => name))
    const before = new Map(this.#rows.map((row) => [row.name, row]))
    const rows = new Map<string, ServerStatus>()
    const policies = new Map(refused.map(({ entry, hint }) => [entry, hint]))
    for (const { id, name, verdict: state, source } of records) {
      if ((state !== 'untrusted' && state !== 'disabled') || started.has(name)) continue
      const old = before.get(name)
      const since = old?.state === state ? old.since : now
      const nothing = { tools: 0, held: 0, adapted: 0, used: [], calls: { running: 0, waiting: 0 } }
      const hint = policies.get(id) ?? HINTS[state]
      rows.set(name, { name, state, since, hint, ...nothing, source })
    }
    this.#rows = [...rows.values()]
  }
}
