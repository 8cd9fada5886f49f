import type { ClockPort, Diagnostic } from '../types.js'
import { type ApprovalPlan, planApproval, refuseAdded } from './approve.js'
import { changesBetween, consentTo, shortFacts } from './consent.js'
import type {
  Approval,
  ApprovalSelector,
  ApproveResult,
  Consent,
  HashPort,
  Pending,
  RevokeResult,
  StoreState,
  Terms,
  TrustStore,
  TrustSubject,
} from './types.js'

export interface TrustOptions {
  readonly store: TrustStore
  readonly hash: HashPort
  readonly clock: Pick<ClockPort, 'now'>
}

/** The approvals of one person, held against what would run now. */
export interface Trust {
  /** About the store, since it was last read or written: why nothing counts as approved, and how to mend that. */
  readonly diagnostics: readonly Diagnostic[]
  /**
   * Whether exactly this was approved. Reads the scripts, so the answer holds for this moment: ask again right before
   * the start. What other processes approve or revoke counts after {@link Trust.reload}.
   */
  isApproved(subject: TrustSubject): boolean
  /**
   * The subjects that are not approved, with what to show to a person, who may then {@link Trust.approve} them.
   * @throws ExtError `kernel.trust.empty` for a subject that does not say what would run
   */
  pending(subjects: readonly TrustSubject[]): readonly Pending[]
  /**
   * Records what a person has agreed to. Scripts are read again right before the writing; a consent whose subject is
   * not as it was shown is refused, its siblings are recorded. Nothing else ever adds an approval.
   * @param options.by who agreed
   */
  approve(consents: readonly Consent[], options?: { readonly by?: string }): Promise<ApproveResult>
  /** Takes approvals back, whichever process recorded them. */
  revoke(selector: ApprovalSelector): Promise<RevokeResult>
  /** Oldest first. */
  list(): readonly Approval[]
  /** Reads the store again. */
  reload(): Promise<void>
}

/** Loads the approvals. From a store that can't be believed nothing is approved, and `diagnostics` say so. */
export async function createTrust({ store, hash, clock }: TrustOptions): Promise<Trust> {
  let state = await store.load()
  const isAgreed = (consent: Consent) =>
    consent.problems.length === 0 &&
    state.approvals.some((approval) => approval.hash === consent.hash && isSameEntry(approval, consent))
  const inTurn = queue()

  return {
    get diagnostics() {
      return state.diagnostics
    },
    isApproved: (subject) =>
      // Scripts are read only where an approval could fit.
      state.approvals.some(({ kind, name }) => kind === subject.kind && name === subject.name) &&
      isAgreed(consentTo(subject, hash)),
    pending: (subjects) =>
      subjects.flatMap((subject): readonly Pending[] => {
        const consent = consentTo(subject, hash)
        if (isAgreed(consent)) return []
        const latest = state.approvals.findLast((approval) => isSameEntry(approval, consent))
        if (!latest) return [{ ...consent, reason: 'new', changes: [] }]
        const changes = changesBetween(latest.facts, shortFacts(consent.facts, hash))
        return [{ ...consent, reason: 'changed', changes }]
      }),
    approve: (consents, { by } = {}) =>
      inTurn(async () => {
        const approvedAt = new Date(clock.now()).toISOString()
        let plan: ApprovalPlan = { approved: [], refused: [], pruned: [], added: [...consents], next: undefined }
        // The scripts are read inside of the change, in one step with the writing.
        const after = await store.update((current, fits) => {
          plan = planApproval(consents, { current, fits, hash, approvedAt, by })
          return plan.next
        })
        state = after
        const { approved, refused, pruned } = after.failure ? unwritten(plan, after, after.failure) : plan
        return { approved, refused, pruned }
      }),
    revoke: ({ root, ...selector }) =>
      inTurn(async () => {
        const wanted = Object.entries({
          ...selector,
          ...(root === undefined ? {} : { root: hash.realPath(root) ?? root }),
        })
        const isMeant = (approval: Approval) =>
          wanted.every(([field, value]) => approval[field as keyof ApprovalSelector] === value)
        let revoked: readonly Approval[] = []
        const after = await store.update((current) => {
          revoked = current.filter(isMeant)
          return revoked.length === 0 ? undefined : current.filter((approval) => !isMeant(approval))
        })
        state = after
        return after.failure ? { revoked: [], failure: sentence(after.failure) } : { revoked }
      }),
    list: () => state.approvals,
    reload: () =>
      inTurn(async () => {
        state = await store.load()
      }),
  }
}

function isSameEntry(a: Terms, b: Terms): boolean {
  return a.root === b.root && a.kind === b.kind && a.name === b.name
}

function unwritten(plan: ApprovalPlan, { approvals }: StoreState, failure: Diagnostic): ApprovalPlan {
  return refuseAdded(plan, approvals, 'not-written', sentence(failure))
}

function sentence({ message, hint }: Diagnostic): string {
  return hint === undefined ? message : `${message} ${hint}`
}

/** One task at a time: a `load` that takes long must not bring back what a later `revoke` took away. */
function queue(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const turn = last.then(task)
    last = turn.catch(() => undefined)
    return turn
  }
}
