import { ExtError, messageOf } from '@ext/kernel'
import type { AuthorizeRequest, RunTerms } from '@ext/kernel/contract'
import { unknownModel } from './host-ports.js'
import { sayOnce } from './prompt.js'
import type { RunContext, SessionState } from './run-context.js'
import { whenRejected } from './signals.js'

/**
 * What holds for the calls of a loop: what was given to it, what its extensions say now, and the limits of whoever has
 * started it. Throws what an extension throws: nobody knows then what it would have refused.
 */
export function termsOf(run: RunContext): readonly RunTerms[] {
  let terms = run.given
  for (const extension of run.session.extensions) {
    if (extension.terms) terms = joined(terms, termsFrom(extension.terms()))
  }
  return run.parent ? joined(terms, termsOf(run.parent).flatMap(limitsOnly)) : terms
}

/** The limits that hold for a loop now, for what outlives it. */
export function limitsOf(run: RunContext): readonly RunTerms[] {
  return termsOf(run).flatMap(limitsOnly)
}

/** Nearly always there are none, and this is asked with every call. */
function joined(a: readonly RunTerms[], b: readonly RunTerms[]): readonly RunTerms[] {
  if (b.length === 0) return a
  return a.length === 0 ? b : [...a, ...b]
}

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
  for (const extension of run.session.extensions) {
    if (!extension.terms) continue
    try {
      for (const wish of termsFrom(extension.terms())) takeWish(run, wish)
    } catch {
      // One that fails has no wishes; before a call that is said.
    }
  }
}

function takeWish(run: RunContext, { by, model, effort }: RunTerms): void {
  if (effort !== undefined) run.effort = effort
  if (model === undefined || model === 'inherit') return
  const found = run.agent.models(model)
  if (found.model) run.model = found.model
  else sayOnce(run, unknownModel(by, model, found, run.ownModel))
}

/** Tells extensions of a call, and those of everybody above: a sub-agent works for its session. */
export function tellCalled(run: RunContext, request: AuthorizeRequest): void {
  for (const extension of run.session.extensions) {
    if (!extension.called) continue
    const say = (text: string) => sayOnce(run, text)
    for (const text of tell(() => extension.called?.(request), say)) say(text)
  }
  if (run.parent) tellCalled(run.parent, request)
}

/** Tells extensions that a loop is over. Gives what there is to say about it. */
export function endTerms(extensions: SessionState['extensions']): readonly string[] {
  return extensions.flatMap((extension) => tell(() => extension.runEnded?.()))
}

/** @param later hears of a rejection, as far as anybody is still told */
function tell(what: () => void, later: (text: string) => void = () => {}): readonly string[] {
  const describe = (error: unknown) => `An extension failed when it was told of the run: ${messageOf(error)}`
  try {
    whenRejected(what(), (error) => later(describe(error)))
    return []
  } catch (error) {
    return [describe(error)]
  }
}
