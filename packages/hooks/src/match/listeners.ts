import type { SnapshotEntry } from '@ext/kernel'
import type { LifecycleEvent, LifecyclePayloads } from '@ext/kernel/contract'
import type { CompiledHook } from '../compile.js'
import { trustOf } from '../config/trust.js'
import { type EventRow, events } from '../events.js'
import type { Scope, Subject } from './subject.js'

/** A hook that takes effect, with its name and place. */
export type LoadedHook = SnapshotEntry<CompiledHook>

/** Who listens to what: made once per snapshot, asked at every event. */
export type ListenerIndex = ReadonlyMap<LifecycleEvent, Listeners>

export function indexListeners(hooks: readonly LoadedHook[]): ListenerIndex {
  const byEvent = new Map<LifecycleEvent, LoadedHook[]>()
  for (const hook of hooks) {
    for (const event of heardEvents(hook)) {
      const same = byEvent.get(event)
      if (same) same.push(hook)
      else byEvent.set(event, [hook])
    }
  }
  return new Map([...byEvent].map(([event, hooks]) => [event, new Listeners(hooks, events[event].matcherField)]))
}

/** An agent to which the main conversation was handed over ends with Stop, where it would end with SubagentStop otherwise. */
function heardEvents({ value }: LoadedHook): readonly LifecycleEvent[] {
  return endOf(value) === undefined ? [value.event] : [value.event, 'Stop']
}

/** The agent whose end a hook of its header waits for. */
function endOf({ event, owner }: CompiledHook): string | undefined {
  return event === 'SubagentStop' && owner?.kind === 'agent' ? owner.name : undefined
}

/** Names of tools, models and agents come from outside, so the memo must not grow with them. */
const MAX_MEMO = 1000

/** The hooks whose matcher fits a subject, and what is left to be looked at for each event. */
interface Fitting {
  readonly hooks: readonly LoadedHook[]
  readonly conditional: boolean
  /** Some count only in a sub-agent or while a skill is active. */
  readonly scoped: boolean
  readonly repeated: boolean
}

/** The hooks of one event, in config order. */
export class Listeners {
  readonly #hooks: readonly LoadedHook[]
  readonly #field: EventRow['matcherField']
  readonly #bySubject = new Map<string, Fitting>()
  readonly #stricter = new Map<string, LoadedHook>()

  constructor(hooks: readonly LoadedHook[], field: EventRow['matcherField']) {
    this.#hooks = hooks
    this.#field = field
  }

  /** The hooks whose matcher and `if` fit, each once. Pure; looks at each matcher once per name. */
  matching(subject: Subject): readonly LoadedHook[] {
    const { hooks, conditional, scoped, repeated } = this.#fitting(nameOf(subject.own, this.#field))
    let fitting = hooks
    if (scoped) fitting = fitting.filter((hook) => counts(hook, subject.scope))
    if (conditional) fitting = fitting.filter(({ value }) => fits(value, subject))
    return repeated ? this.#withoutRepeats(fitting) : fitting
  }

  #fitting(name: string): Fitting {
    const known = this.#bySubject.get(name)
    if (known) return known
    // Such a hook counts for its own agent alone, which Stop does not name.
    const hooks = this.#hooks.filter(({ value }) => value.matcher.test(endOf(value) ?? name))
    const fitting = {
      hooks,
      conditional: hooks.some((hook) => hook.value.condition),
      scoped: hooks.some((hook) => isScoped(hook)),
      repeated: new Set(hooks.map((hook) => hook.value.identity)).size < hooks.length,
    }
    if (this.#bySubject.size >= MAX_MEMO) this.#bySubject.clear()
    this.#bySubject.set(name, fitting)
    return fitting
  }

  /** What is known about some of the hooks, in config order. */
  inOrder<T>(values: ReadonlyMap<LoadedHook, T>): readonly T[] {
    const known = new Map([...values].map(([hook, value]) => [hook.id, value]))
    return this.#hooks.flatMap(({ id }) => known.get(id) ?? [])
  }

  /**
   * Of hooks that are the same, that of the most trusted layer runs, as strictly as any of them asks for: a project's copy
   * must not make a guard of the user's laxer, shorter or once only.
   */
  #withoutRepeats(hooks: readonly LoadedHook[]): readonly LoadedHook[] {
    const copies = new Map<string, LoadedHook[]>()
    for (const hook of hooks) {
      const same = copies.get(hook.value.identity)
      if (same) same.push(hook)
      else copies.set(hook.value.identity, [hook])
    }
    const chosen = new Map([...copies.values()].map((same) => [mostTrusted(same), same]))
    return hooks.flatMap((hook) => {
      const same = chosen.get(hook)
      return same ? [this.#asStrictAs(hook, same)] : []
    })
  }

  /** The same object each time: what a hook has answered is known by it. */
  #asStrictAs(hook: LoadedHook, copies: readonly LoadedHook[]): LoadedHook {
    const onFailure = copies.some(({ value }) => value.onFailure === 'block') ? 'block' : 'continue'
    const once = copies.every(({ value }) => value.once)
    if (onFailure === hook.value.onFailure && once === hook.value.once) return hook
    const key = JSON.stringify([hook.id, onFailure, once])
    const known = this.#stricter.get(key)
    if (known) return known
    const stricter = { ...hook, value: { ...hook.value, onFailure, once } } as const
    this.#stricter.set(key, stricter)
    return stricter
  }
}

/** What the matcher of an event is tested against. */
export function nameOf(payload: LifecyclePayloads[LifecycleEvent], field: EventRow['matcherField']): string {
  const value: unknown = (payload as Readonly<Record<string, unknown>>)[field]
  return typeof value === 'string' ? value : ''
}

function isScoped({ value: { owner } }: LoadedHook): boolean {
  return owner?.kind === 'skill' || owner?.kind === 'agent'
}

/** Whether the skill or agent that a hook belongs to is at work. */
export function counts({ value: { owner }, source }: LoadedHook, scope: Scope): boolean {
  if (owner?.kind === 'agent') return owner.name === scope.agent
  return owner?.kind !== 'skill' || (source.file !== undefined && scope.skills().includes(source.file))
}

/** A call that is nested too deep to be looked at may be the one that is meant. */
function fits({ condition }: CompiledHook, subject: Subject): boolean {
  try {
    return condition?.fits(subject) ?? true
  } catch {
    return true
  }
}

function mostTrusted(hooks: readonly LoadedHook[]): LoadedHook {
  return hooks.reduce((best, hook) => (trustOf(hook.source.layer) > trustOf(best.source.layer) ? hook : best))
}
