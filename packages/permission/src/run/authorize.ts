import { type ClockPort, messageOf } from '@ext/kernel'
import type {
  Attributed,
  Authorization,
  AuthorizeRequest,
  Contender,
  Decision,
  JsonObject,
  Opinion,
  PermissionAnswer,
  PermissionQuestion,
  SessionRef,
  ToolCall,
} from '@ext/kernel/contract'
import type { Ruling } from '../decide/decide.js'
import type { SuggestedRule } from '../decide/suggest.js'
import type { AuthorizeOptions } from '../types.js'
import { readAnswer } from './answer.js'
import { guarded, tell } from './guard.js'
import { notApprovedNotice, overruledNotice, portNotice, tooWideNotice } from './notices.js'
import { type RaceEnd, race } from './race.js'

/** What a session brings to its questions. */
export interface Asking {
  readonly session: SessionRef
  /** Those that the engine knows itself. */
  readonly contenders: readonly Contender[]
  readonly clock: ClockPort
  readonly timeoutMs: number
  readonly graceMs: number
  readonly visibleMs: (failed: (problem: string) => void) => number
  /** A managed file can't be used, so nobody knows what it would have forbidden. */
  readonly managedBroken: boolean
  rule(request: AuthorizeRequest, opinion: Opinion | undefined): Promise<Ruling>
  /** The narrowest rules that would allow a call that is asked. */
  suggest(request: AuthorizeRequest, opinion: Opinion | undefined): Promise<readonly SuggestedRule[]>
  mayRemember(contender: Contender): boolean
  /** Remembers rules for the session. */
  grant(rules: readonly SuggestedRule[], how: { readonly by: string; readonly call: ToolCall }): void
}

/** A question whose answer changes the input is a new question; nobody needs to change it more often than this. */
const MAX_ROUNDS = 5

const ELSEWHERE = { name: 'user', kind: 'person' } as const

/** From a call to its end: decides, and asks if it has to be asked. Rejects only when the signal aborts. */
export async function authorize(
  request: AuthorizeRequest,
  options: AuthorizeOptions,
  asking: Asking,
): Promise<Authorization> {
  const { signal } = options
  let current = request
  let { opinion, answer: given } = options
  let updated: Authorization['updatedInput']
  let waitMs = 0
  let seen: Decision | undefined
  let consent: { readonly by: Pick<Contender, 'name' | 'kind'>; readonly answer: PermissionAnswer } | undefined
  const notices: Attributed[] = []
  const failed = (problem: string) => void notices.push(portNotice(problem))
  const shown: AuthorizeOptions = { ...options, onQuestion: once(options.onQuestion, failed) }

  for (let round = 1; ; round++) {
    signal?.throwIfAborted()
    let ruling: Ruling
    let suggested: readonly SuggestedRule[] = []
    try {
      ruling = await asking.rule(current, opinion)
      if (ruling.decision.behavior === 'ask') suggested = await asking.suggest(current, opinion)
    } catch (error) {
      signal?.throwIfAborted()
      failed(messageOf(error))
      return { ...undecided(current, messageOf(error)), waitMs, notices }
    }
    signal?.throwIfAborted()
    if (ruling.overruled && opinion) notices.push(overruledNotice(opinion, ruling.overruled))
    const whole = { ...(updated ? { updatedInput: updated } : {}), waitMs, notices }
    if (ruling.decision.behavior !== 'ask') return { ...byRules(ruling), ...whole }
    const suggestions = suggested.map(({ rule }) => rule)
    const decision = suggestions.length > 0 ? { ...ruling.decision, suggestions } : ruling.decision
    // Who has changed the input has agreed to what it is now, unless it has become something that needs more.
    if (consent && (!decision.personOnly || (consent.by.kind === 'person' && seen?.personOnly))) {
      return { ...answered(decision, current, consent), ...whole }
    }
    if (round > MAX_ROUNDS) return { ...nobody(decision, 'The input was changed too often.'), ...whole }

    const question: PermissionQuestion = { ...current, decision, session: asking.session }
    const end: RaceEnd = given ? answeredElsewhere(given) : await ask(question, shown, asking)
    given = undefined
    waitMs += end.waitMs
    notices.push(...end.notices)
    const rest = { ...(updated ? { updatedInput: updated } : {}), waitMs, notices }
    if (end.end !== 'answered') return { ...unanswered(decision, end.end, shown, asking), ...rest }
    remember(end, current, suggested, asking, notices)
    const { updatedInput } = end.answer
    if (end.answer.behavior === 'deny' || !updatedInput || isSame(updatedInput, current.call.input)) {
      return { ...answered(decision, current, end), ...rest }
    }
    updated = { by: end.by.name, input: updatedInput }
    current = { ...current, call: { ...current.call, input: updatedInput } }
    consent = end
    seen = decision
    // A hook that allowed the call has not seen what it is now.
    if (opinion?.behavior === 'allow') opinion = undefined
  }
}

function ask(question: PermissionQuestion, options: AuthorizeOptions, asking: Asking): Promise<RaceEnd> {
  const { interactive = true, defer = false, signal } = options
  const all = [...(options.contenders ?? []), ...asking.contenders]
  const contenders = interactive && !defer ? all : all.filter(({ kind }) => kind !== 'person')
  if (contenders.some(({ kind }) => kind === 'person')) options.onQuestion?.(question)
  return race(question, {
    contenders,
    clock: asking.clock,
    timeoutMs: options.timeoutMs ?? asking.timeoutMs,
    graceMs: options.graceMs ?? asking.graceMs,
    visibleMs: asking.visibleMs,
    ...(signal ? { signal } : {}),
  })
}

function answeredElsewhere(given: PermissionAnswer): RaceEnd {
  const answer = readAnswer(given)
  const by: Contender = { ...ELSEWHERE, answer: async () => given }
  return answer ? { end: 'answered', by, answer, waitMs: 0, notices: [] } : { end: 'nobody', waitMs: 0, notices: [] }
}

type Ended = Omit<Authorization, 'waitMs' | 'notices' | 'updatedInput'>

function byRules({ decision, unasked }: Ruling): Ended {
  const { behavior, reason, modelReason } = decision
  return {
    behavior: behavior === 'allow' ? 'allow' : 'deny',
    decision,
    answeredBy: unasked ? 'nobody' : 'rules',
    reason,
    modelReason,
  }
}

function answered(
  decision: Decision,
  { tool }: AuthorizeRequest,
  { by, answer }: { readonly by: Pick<Contender, 'name' | 'kind'>; readonly answer: PermissionAnswer },
): Ended {
  const { behavior } = answer
  const who = by.kind === 'person' && by.name === 'user' ? 'The user' : by.name
  const why = `${who} said ${behavior === 'allow' ? 'yes' : 'no'}${answer.reason === undefined ? '' : `: ${answer.reason}`}.`
  return {
    behavior,
    decision,
    answeredBy: by.kind === 'person' ? 'user' : 'automation',
    by: by.name,
    reason: `${decision.reason} ${why}`,
    modelReason: behavior === 'allow' ? `${tool.name} may run. ${why}` : `${why} ${decision.modelReason}`,
  }
}

function unanswered(
  decision: Decision,
  end: 'nobody' | 'timeout',
  { defer = false, timeoutMs }: AuthorizeOptions,
  asking: Asking,
): Ended {
  if (defer) {
    const why = 'The question waits for a person who answers elsewhere.'
    return { ...nobody(decision, why), answeredBy: 'deferred' }
  }
  if (end === 'timeout') {
    return {
      ...nobody(decision, `Nobody answered within ${timeoutMs ?? asking.timeoutMs} ms.`),
      answeredBy: 'timeout',
    }
  }
  return nobody(
    decision,
    asking.managedBroken
      ? 'A managed file is broken and nobody can be asked.'
      : 'Nobody can be asked, or nobody had an answer.',
  )
}

function nobody(decision: Decision, why: string): Ended {
  return {
    behavior: 'deny',
    decision,
    answeredBy: 'nobody',
    reason: `${decision.reason} ${why}`,
    modelReason: `${why} ${decision.modelReason}`,
  }
}

/** The rules could not be asked, so nobody knows what they would have forbidden. */
function undecided({ tool }: AuthorizeRequest, problem: string): Ended {
  const reason = `${tool.name} could not be decided on: ${problem}`
  const modelReason = `${tool.name} was not permitted, because the permission check failed. Do without it.`
  const trace = [{ layer: 'default', verdict: 'deny', reason }] as const
  const decision: Decision = { behavior: 'deny', decidedBy: { layer: 'default' }, reason, modelReason, trace }
  return { behavior: 'deny', decision, answeredBy: 'rules', reason, modelReason }
}

/** What comes with an answer is remembered as far as it allows nothing but the call that was asked about. */
function remember(
  { by, answer }: { readonly by: Contender; readonly answer: PermissionAnswer },
  { call }: AuthorizeRequest,
  suggested: readonly SuggestedRule[],
  asking: Asking,
  notices: Attributed[],
): void {
  const { behavior, rules = [] } = answer
  if (behavior !== 'allow' || rules.length === 0) return
  const failed = (problem: string) => void notices.push(portNotice(problem))
  const may = by.kind === 'person' || guarded('mayRemember', () => asking.mayRemember(by), false, failed) === true
  const granted: SuggestedRule[] = []
  for (const rule of rules) {
    const narrow = may ? suggested.find((each) => each.rule === rule.trim()) : undefined
    if (narrow) granted.push(narrow)
    else notices.push(may ? tooWideNotice(by.name, rule) : notApprovedNotice(by.name, rule))
  }
  if (granted.length > 0) asking.grant(granted, { by: by.name, call })
}

function isSame(a: JsonObject, b: JsonObject): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function once(
  listener: AuthorizeOptions['onQuestion'],
  failed: (problem: string) => void,
): (question: PermissionQuestion) => void {
  let called = false
  return (question) => {
    if (called) return
    called = true
    tell('onQuestion', () => listener?.(question), failed)
  }
}
