import type { Source } from '@ext/kernel'
import type { LifecycleEvent, LifecyclePayloads, SessionRef } from '@ext/kernel/contract'
import { events } from './events.js'
import type { ListedHook } from './list.js'
import { counts, type Listeners, type LoadedHook, nameOf } from './match/listeners.js'
import { Subject } from './match/subject.js'
import { completePayload } from './run/payload.js'

/** Whether a hook would run for an event, and why. */
export interface ExplainedHook {
  readonly id: string
  readonly name: string
  readonly source: Source
  readonly runs: boolean
  /** As the end of a sentence. */
  readonly why: string
}

/** What there is to be explained. */
export interface ExplainRequest<E extends LifecycleEvent = LifecycleEvent> {
  readonly event: E
  readonly payload: LifecyclePayloads[E]
  readonly session: SessionRef
  readonly listed: readonly ListedHook[]
  readonly loaded: readonly LoadedHook[]
  readonly now: number
}

/** Every hook of an event with whether it would run, in config order. Nothing runs, and no mark is set. */
export function explainHooks(
  { event, payload, session, listed, loaded, now }: ExplainRequest,
  listeners: Listeners | undefined,
): readonly ExplainedHook[] {
  const scope = { skills: () => [] }
  const subject = new Subject(payload, session.cwd, scope, () => completePayload(event, payload, session, now))
  const matching = listeners?.matching(subject) ?? []
  return listed.flatMap(({ id, name, verdict, source, hook }) => {
    if (hook?.event !== event) return []
    const own = loaded.find((each) => each.id === id)
    const [runs, why] = own ? judge(own, subject, matching) : [false, NOT_LOADED[verdict] ?? `it is ${verdict}`]
    return [{ id, name, source, runs, why }]
  })
}

const NOT_LOADED: Readonly<Record<string, string>> = {
  untrusted: 'nobody has approved it',
  broken: 'it can’t be loaded',
  disabled: 'it is switched off',
  shadowed: 'another one of its name replaces it',
}

function judge(hook: LoadedHook, subject: Subject, matching: readonly LoadedHook[]): readonly [boolean, string] {
  const { event, matcher, condition, written, owner, once, background } = hook.value
  const { matcherField } = events[event]
  const name = nameOf(subject.own, matcherField)
  if (!matcher.test(name)) return [false, `its matcher \`${written.matcher}\` does not fit \`${name}\``]
  if (!counts(hook, subject.scope)) return [false, `the ${owner?.kind} that it belongs to is not active`]
  if (condition && !condition.fits(subject)) return [false, `its \`if\` does not hold: ${condition.text}`]
  if (!matching.includes(hook)) return [false, 'another hook is the same, and it runs once']
  const reasons = [
    matcherField === 'none' || !written.matcher
      ? `it listens to every ${event}`
      : `\`${written.matcher}\` fits \`${name}\``,
    ...(condition ? [`its \`if\` holds: ${condition.text}`] : []),
    ...(once ? ['once in a session'] : []),
    ...(background ? ['nobody waits for it'] : []),
  ]
  return [true, reasons.join(', ')]
}
