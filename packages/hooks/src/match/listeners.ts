import type { Snapshot, SnapshotEntry } from '@ext/kernel'
import type { LifecycleEvent, LifecyclePayloads } from '@ext/kernel/contract'
import type { CompiledHook } from '../compile.js'
import { type EventRow, events } from '../events.js'

/** A hook that takes effect, with its name and place. */
export type LoadedHook = SnapshotEntry<CompiledHook>

/** Who listens to what: made once per snapshot, asked at every event. */
export type ListenerIndex = ReadonlyMap<LifecycleEvent, Listeners>

export function indexListeners(snapshot: Snapshot<CompiledHook>): ListenerIndex {
  const byEvent = new Map<LifecycleEvent, LoadedHook[]>()
  for (const hook of snapshot.entries) {
    const hooks = byEvent.get(hook.value.event)
    if (hooks) hooks.push(hook)
    else byEvent.set(hook.value.event, [hook])
  }
  return new Map([...byEvent].map(([event, hooks]) => [event, new Listeners(hooks, events[event].matcherField)]))
}

/** Names of tools, models and agents come from outside, so the memo must not grow with them. */
const MAX_MEMO = 1000

/** The hooks of one event, in config order. */
export class Listeners {
  readonly #hooks: readonly LoadedHook[]
  readonly #field: EventRow['matcherField']
  readonly #bySubject = new Map<string, readonly LoadedHook[]>()

  constructor(hooks: readonly LoadedHook[], field: EventRow['matcherField']) {
    this.#hooks = hooks
    this.#field = field
  }

  /** The hooks whose matcher and `if` fit. Pure; looks at each matcher once per subject. */
  matching(payload: LifecyclePayloads[LifecycleEvent], cwd: string): readonly LoadedHook[] {
    const subject = this.#subjectOf(payload)
    let matched = this.#bySubject.get(subject)
    if (!matched) {
      matched = this.#hooks.filter((hook) => hook.value.matcher.test(subject))
      if (this.#bySubject.size >= MAX_MEMO) this.#bySubject.clear()
      this.#bySubject.set(subject, matched)
    }
    if (!('tool_name' in payload) || !matched.some((hook) => hook.value.condition)) return matched
    return matched.filter(({ value: { condition } }) => !condition || condition.fits(payload, cwd))
  }

  #subjectOf(payload: LifecyclePayloads[LifecycleEvent]): string {
    const value: unknown = (payload as Readonly<Record<string, unknown>>)[this.#field]
    return typeof value === 'string' ? value : ''
  }

  /** What is known about some of the hooks, in config order. */
  inOrder<T>(values: ReadonlyMap<LoadedHook, T>): readonly T[] {
    return this.#hooks.flatMap((hook) => values.get(hook) ?? [])
  }
}
