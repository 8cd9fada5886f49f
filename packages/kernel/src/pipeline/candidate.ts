import type { Diagnostic, EntryRecord, Located, Verdict } from '../types.js'

/** A valid entry on its way through consent, merge and compilation. */
export interface Candidate<E> {
  readonly entry: Located<E>
  readonly name: string
  readonly source: Located<E>['source']
  readonly needsConsent: boolean
  readonly approved: boolean
}

/** What a stage has to say. */
export interface Findings {
  readonly records: readonly EntryRecord[]
  readonly diagnostics: readonly Diagnostic[]
}

export function recordOf(axis: string, entry: Located<unknown>, name: string, verdict: Verdict): EntryRecord {
  return {
    axis,
    id: entry.id,
    name,
    verdict,
    // Positions cost a tree of the whole file, so they wait until somebody asks.
    get source() {
      return entry.at()
    },
  }
}
