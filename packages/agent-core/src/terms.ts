import { ExtError, messageOf } from '@ext/kernel'
import type { AuthorizeRequest, RunTerms } from '@ext/kernel/contract'
import { sayOnce } from './prompt.js'
import type { RunContext, SessionState } from './run-context.js'
import { whenRejected } from './signals.js'

/**
 * What holds for the calls of a loop: what was given to it, what its extensions say now, and the limits of whoever has
 * started it. Throws what an extension throws: nobody knows then what it would have refused.
 */
export function termsOf(run: RunContext): readonly RunTerms[] {
  const own = run.session.extensions.flatMap((extension) => termsFrom(extension.terms?.() ?? NO_TERMS))
  if (run.given.length === 0 && !run.parent) return own
  const inherited = run.parent ? termsOf(run.parent).flatMap(limitsOnly) : NO_TERMS
  return [...run.given, ...own, ...inherited]
}

const NO_TERMS: readonly RunTerms[] = Object.freeze([])

function termsFrom(terms: readonly RunTerms[]): readonly RunTerms[] {
  if (Array.isArray(terms)) return terms
  whenRejected(terms, () => {})
  throw new ExtError('agent-core.extension.answer', 'its terms are no list')
}

/** What was approved for one loop is not approved for those that it starts. */
function limitsOnly(terms: RunTerms): readonly RunTerms[] {
  const { by, restrict, disallowed, grants, model, effort } = terms
  if (!restrict && !disallowed) return []
  if (!grants && model === undefined && effort === undefined) return [terms]
  return [{ by, ...(restrict ? { restrict } : {}), ...(disallowed ? { disallowed } : {}) }]
}

/** Chooses the model of a turn: what was asked for last goes before what was asked for first. */
export function takeModel(run: RunContext): void {
  run.model = run.ownModel
  run.effort = run.ownEffort
  for (const { by, model, effort } of wishes(run)) {
    if (effort !== undefined) run.effort = effort
    if (model === undefined || model === 'inherit') continue
    const found = run.agent.models(model)
    if (found) run.model = found
    else sayOnce(run, `${by} wants the model ${model}, which is not known; ${run.ownModel.id} is used.`)
  }
}

/** One that fails has no wishes here; before a call it is said. */
function wishes({ session }: RunContext): readonly RunTerms[] {
  return session.extensions.flatMap((extension) => {
    try {
      return termsFrom(extension.terms?.() ?? NO_TERMS)
    } catch {
      return NO_TERMS
    }
  })
}

/** Tells extensions of a call, and those of everybody above: a sub-agent works for its session. */
export function tellCalled(run: RunContext, request: AuthorizeRequest): void {
  for (const extension of run.session.extensions) {
    for (const text of tell(() => extension.called?.(request))) sayOnce(run, text)
  }
  if (run.parent) tellCalled(run.parent, request)
}

/** Tells extensions that a loop is over. Gives what there is to say about it. */
export function endTerms(extensions: SessionState['extensions']): readonly string[] {
  return extensions.flatMap((extension) => tell(() => extension.runEnded?.()))
}

function tell(what: () => void): readonly string[] {
  try {
    whenRejected(what(), () => {})
    return []
  } catch (error) {
    return [`An extension failed when it was told of the run: ${messageOf(error)}`]
  }
}
