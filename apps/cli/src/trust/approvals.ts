import type { EntryRecord, Located, SourceRef } from '@ext/kernel'
import { nodeClock, nodeHash, nodeTrustStore } from '@ext/kernel/node'
import type { HashPort, Trust, TrustSubject } from '@ext/kernel/trust'

/** The approvals of the person, for all axes alike. */
export interface Approvals {
  readonly trust: Trust
  readonly hash: HashPort
  /** For an axis that asks about its entries; `subjectOf` says what a person would agree to. */
  /** For an axis that asks about whole files. */
  files(subjectOf: (file: string) => TrustSubject): (source: SourceRef) => boolean
  axis<E>(subjectOf: (entry: Located<E>) => TrustSubject): ApprovedAxis<E>
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
  return {
    trust,
    hash,
    files:
      (subjectOf) =>
      ({ file }) =>
        options.approveAll || (file !== undefined && trust.isApproved(subjectOf(file))),
    axis(subjectOf) {
      const subjects = new Map<string, TrustSubject>()
      return {
        approved(entry) {
          const subject = subjectOf(entry)
          subjects.set(entry.id, subject)
          return options.approveAll || trust.isApproved(subject)
        },
        waiting: (records) =>
          records.flatMap(({ id, verdict }) => (verdict === 'untrusted' ? (subjects.get(id) ?? []) : [])),
      }
    },
  }
}
