import { changesBetween, consentTo, shortFacts } from './consent.js'
import { word } from './text.js'
import type { Approval, ApproveResult, Change, Consent, HashPort, Refusal, RefusalReason } from './types.js'

/** What approving comes to, before it is written. */
export interface ApprovalPlan extends ApproveResult {
  /** Consents that need the writing. */
  readonly added: readonly Consent[]
  /** What to write; `undefined` when nothing is to be written. */
  readonly next: readonly Approval[] | undefined
}

export interface ApprovalContext {
  /** As they are in the store now. */
  readonly current: readonly Approval[]
  readonly fits: (approvals: readonly Approval[]) => boolean
  readonly hash: HashPort
  readonly approvedAt: string
  readonly by: string | undefined
}

/** Holds every consent against what would run at this moment. Synchronous: nothing can come in between. */
export function planApproval(consents: readonly Consent[], context: ApprovalContext): ApprovalPlan {
  const { current, hash, approvedAt, by } = context
  const known = new Map(current.map((approval) => [approval.hash, approval]))
  const approved = new Set<Approval>()
  const refused: Refusal[] = []
  const added: Consent[] = []
  for (const shown of consents) {
    const now = consentTo(shown.subject, hash)
    const changes = changesBetween(shown.facts, now.facts)
    if (now.problems.length > 0) {
      const why = now.problems.map(({ path, message }) => `${word(path)}: ${message}`).join(' ')
      refused.push(refuse(shown, 'unusable', why, changes))
    } else if (now.hash !== shown.hash) {
      const what = changes.map(({ field }) => field).join(', ') || 'its folder'
      refused.push(refuse(shown, 'changed', `It is not as it was shown any more (${what}). Look at it again.`, changes))
    } else {
      let approval = known.get(now.hash)
      if (!approval) {
        const { kind, name, root } = now
        const facts = shortFacts(now.facts, hash)
        approval = { kind, name, root, hash: now.hash, approvedAt, ...(by === undefined ? {} : { by }), facts }
        known.set(now.hash, approval)
        added.push(shown)
      }
      approved.add(approval)
    }
  }
  const plan: ApprovalPlan = { approved: [...approved], refused, pruned: [], added, next: undefined }
  if (added.length === 0) return plan
  const next = [...known.values()]
  if (context.fits(next)) return { ...plan, next }
  const isGone = goneRoots(hash)
  const pruned = current.filter(isGone)
  const rest = next.filter((approval) => !pruned.includes(approval))
  if (pruned.length > 0 && context.fits(rest)) return { ...plan, pruned, next: rest }
  return refuseAdded(plan, current, 'full', 'The trust store is full. Take back approvals that are no longer needed.')
}

/** What is left of a plan whose additions can't be kept. */
export function refuseAdded(
  plan: ApprovalPlan,
  current: readonly Approval[],
  reason: RefusalReason,
  message: string,
): ApprovalPlan {
  const kept = plan.approved.filter((approval) => current.some((each) => each.hash === approval.hash))
  const refused = [...plan.refused, ...plan.added.map((consent) => refuse(consent, reason, message, []))]
  return { approved: kept, refused, pruned: [], added: [], next: undefined }
}

function refuse(consent: Consent, reason: RefusalReason, message: string, changes: readonly Change[]): Refusal {
  return { consent, reason, message, changes }
}

function goneRoots(hash: HashPort): (approval: Approval) => boolean {
  const gone = new Map<string, boolean>()
  return ({ root }) => {
    const known = gone.get(root) ?? hash.realPath(root) === undefined
    gone.set(root, known)
    return known
  }
}
