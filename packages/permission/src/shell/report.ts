import type { CriticalOperation, Effect, ShellUnit, Unknown } from './types.js'

/** More findings than these are not collected. What was found before stays found. */
const MAX_FINDINGS = 60_000

/** Words that may be files are only of interest where a rule speaks about them. */
const MAX_MENTIONS = 1000

/** What has been found so far. */
export class Report {
  readonly units: ShellUnit[] = []
  readonly effects: Effect[] = []
  readonly unknowns: Unknown[] = []
  readonly critical: CriticalOperation[] = []
  #quiet = 0
  #findings = 0
  #mentions = 0

  get isQuiet(): boolean {
    return this.#quiet > 0
  }

  /** Does the work without keeping what it finds. */
  quietly<T>(work: () => T): T {
    this.#quiet++
    try {
      return work()
    } finally {
      this.#quiet--
    }
  }

  /** The index of the unit, or `undefined` when it was not kept. */
  unit(unit: ShellUnit): number | undefined {
    if (!this.#keep()) return undefined
    return this.units.push(unit) - 1
  }

  /** Whether there is room for another word that may be a file; told once when there is not. */
  mention(): boolean {
    if (this.#quiet > 0) return false
    if (++this.#mentions === MAX_MENTIONS) this.#full('The line names more words than are looked at as files.')
    return this.#mentions < MAX_MENTIONS
  }

  effect(effect: Effect): void {
    if (this.#keep()) this.effects.push(effect)
  }

  unknown(unknown: Unknown): void {
    // A limit is always told.
    if (this.#keep() || (unknown.code === 'limit' && this.#quiet === 0)) this.unknowns.push(unknown)
  }

  criticalOperation(operation: CriticalOperation): void {
    if (this.#keep()) this.critical.push(operation)
  }

  #keep(): boolean {
    if (this.#quiet > 0) return false
    if (++this.#findings === MAX_FINDINGS) this.#full('The line does more than is followed.')
    return this.#findings < MAX_FINDINGS
  }

  #full(message: string): void {
    const span = this.units.at(-1)?.span ?? { start: 0, end: 0 }
    this.unknowns.push({ code: 'limit', message, span })
  }
}
