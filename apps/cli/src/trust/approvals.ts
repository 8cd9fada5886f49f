import { canonicalJson, type EntryRecord, type Located, type SourceRef } from '@ext/kernel'
import { nodeClock, nodeHash, nodeTrustStore } from '@ext/kernel/node'
import type { HashPort, Trust, TrustSubject } from '@ext/kernel/trust'

/** The approvals of the person, for all axes alike. */
export interface Approvals {
  readonly trust: Trust
  readonly hash: HashPort
  /** For an axis that asks about its entries; `subjectOf` says what a person would agree to. */
  axis<E>(subjectOf: (entry: Located<E>) => TrustSubject): ApprovedAxis<E>
  /** For an axis that asks about whole files. */
  files(subjectOf: (file: string) => TrustSubject): (source: SourceRef) => boolean
  /** Whether the project was approved for this run with that in it, whatever the store says. */
  forThisRun(what: unknown): boolean
  /** What the project holds from now on was not approved with it: who said yes to it has not seen that. */
  seal(): void
}

export interface ApprovedAxis<E> {
  approved(entry: Located<E>): boolean
  /** What waits, of the entries that would take effect. */
  waiting(records: readonly EntryRecord[]): readonly TrustSubject[]
}

/**
 * @param options.store where the approvals are
 * @param options.approveAll for this run, whatever the store says
 */
export async function openApprovals(options: {
  readonly store: string
  readonly approveAll: boolean
}): Promise<Approvals> {
  const { createTrust } = await import('@ext/kernel/trust')
  const hash = nodeHash()
  const trust = await createTrust({ store: nodeTrustStore({ file: options.store }), hash, clock: nodeClock() })
  const seen = new Set<string>()
  let sealed = false
  const forThisRun = (what: unknown) => {
    if (!options.approveAll) return false
    const key = hash.sha256(canonicalJson(what))
    if (!sealed) seen.add(key)
    return seen.has(key)
  }
  return {
    trust,
    hash,
    forThisRun,
    seal() {
      sealed = true
    },
    files:
      (subjectOf) =>
      ({ file }) => {
        if (file === undefined) return forThisRun(null)
        const subject = subjectOf(file)
        return trust.isApproved(subject) || (options.approveAll && forThisRun([subject, hash.file(file)]))
      },
    axis(subjectOf) {
      const subjects = new Map<string, TrustSubject>()
      return {
        approved(entry) {
          const subject = subjectOf(entry)
          subjects.set(entry.id, subject)
          return trust.isApproved(subject) || forThisRun(subject)
        },
        waiting: (records) =>
          records.flatMap(({ id, verdict }) => (verdict === 'untrusted' ? (subjects.get(id) ?? []) : [])),
      }
    },
  }
}
