import { isForeignLayer } from '../layers.js'
import type { Mergeable, MergeStrategy } from '../merge.js'
import type { Diagnostic, EntryRecord, Located, Source, Verdict } from '../types.js'
import type { LoadHost } from './definition.js'

/** A valid entry on its way through consent, merge and compilation. */
export interface Candidate<E> extends Mergeable {
  readonly entry: Located<E>
  /** Key of the source that it was read from; see `read.ts`. */
  readonly origin: string
  readonly merge: MergeStrategy
  readonly needsConsent: boolean
  readonly approved: boolean
  /** Only on the last good version of an entry: where its new version fails. */
  readonly failsAt?: Source
}

/** What a stage has to say. */
export interface Findings {
  readonly records: readonly EntryRecord[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Whether a person has agreed to an entry that needs it. */
export function isApproved<E>(entry: Located<E>, needsConsent: boolean, host: LoadHost<E>): boolean {
  return needsConsent && isForeignLayer(entry.source.layer) && host.approved?.(entry) === true
}

/** The record of a candidate, or of an entry that has not become one. */
export function recordOf(
  axis: string,
  { entry, name, failsAt }: Pick<Candidate<unknown>, 'entry' | 'name' | 'failsAt'>,
  verdict: Verdict,
): EntryRecord {
  return {
    axis,
    id: entry.id,
    name,
    verdict,
    // Positions cost a tree of the whole file, so they wait until somebody asks.
    get source() {
      return entry.at()
    },
    ...(failsAt ? { stale: true } : {}),
  }
}
