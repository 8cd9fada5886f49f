import { isForeignLayer } from '../layers.js'
import type { Mergeable, MergeStrategy } from '../merge.js'
import type { Diagnostic, EntryRecord, Located, Outcome, SnapshotEntry, Source, SourceRef, Verdict } from '../types.js'
import type { LoadHost } from './definition.js'

/**
 * A valid entry on its way through consent, merge and compilation. There may be thousands, and they stay for as long as
 * their snapshot does.
 */
export class Candidate<E, C = unknown> implements Mergeable {
  readonly entry: Located<E>
  readonly name: string
  readonly way: Way
  readonly approved: boolean
  /** Only on the last good version of an entry: where its new version fails. */
  readonly failsAt: Source | undefined
  /** What became of it when it was compiled, until the load is over. */
  outcome: Outcome<C> | undefined = undefined
  /** As which it takes effect. */
  loaded: SnapshotEntry<C> | undefined = undefined

  constructor(entry: Located<E>, name: string, way: Way, approved: boolean, failsAt?: Source) {
    this.entry = entry
    this.name = name
    this.way = way
    this.approved = approved
    this.failsAt = failsAt
  }

  get source(): SourceRef {
    return this.entry.source
  }

  get merge(): MergeStrategy {
    return this.way.merge
  }
}

/** What many candidates have in common. */
export interface Way {
  /** Key of the source that they were read from; see `read.ts`. */
  readonly origin: string
  readonly merge: MergeStrategy
  readonly needsConsent: boolean
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
export function recordOf(axis: string, { entry, name, failsAt }: Recorded, verdict: Verdict): EntryRecord {
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

interface Recorded {
  readonly entry: Pick<Located<unknown>, 'id' | 'at'>
  readonly name: string
  readonly failsAt?: Source | undefined
}
