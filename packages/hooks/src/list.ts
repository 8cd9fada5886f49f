import type { EntryRecord, Snapshot, Source, Verdict } from '@ext/kernel'
import type { LifecycleEvent } from '@ext/kernel/contract'
import type { CompiledHook } from './compile.js'
import type { Action } from './config/actions.js'
import { comparedText } from './config/condition.js'
import type { HookEntry } from './config/entry.js'

/** A hook that was found, whatever has become of it. */
export interface ListedHook {
  readonly id: string
  readonly name: string
  readonly verdict: Verdict
  readonly source: Source
  /** What it says of itself; absent where it could not be read. */
  readonly hook?: {
    /** Also a name that nothing fires here. */
    readonly event: LifecycleEvent | (string & {})
    readonly matcher?: string
    /** The `if`; conditions on fields as JSON. */
    readonly if?: string
    /** What it does, in one text. */
    readonly action: string
    /** What it belongs to, if that is no settings file. */
    readonly owner?: string
  }
}

/** Every hook with what has become of it, in the order in which hooks of one event are folded. */
export function listHooks(
  snapshot: Pick<Snapshot<CompiledHook>, 'records' | 'entries'>,
  found: ReadonlyMap<string, HookEntry>,
): readonly ListedHook[] {
  const order = new Map([...found.keys()].map((id, index) => [id, index]))
  return snapshot.records
    .map((record) => listed(record, found.get(record.id)))
    .toSorted((a, b) => (order.get(a.id) ?? order.size) - (order.get(b.id) ?? order.size))
}

function listed({ id, name, verdict, source }: EntryRecord, entry: HookEntry | undefined): ListedHook {
  if (!entry) return { id, name, verdict, source }
  const { event, matcher, condition, action, owner } = entry
  const text = comparedText(condition)
  return {
    id,
    name,
    verdict,
    source,
    hook: {
      event: event.event ?? event.notFired,
      ...(matcher === undefined ? {} : { matcher }),
      ...(text === undefined ? {} : { if: text }),
      action: describeAction(action),
      ...(owner ? { owner: owner.kind === 'plugin' ? `plugin ${owner.root}` : `${owner.kind} ${owner.name}` } : {}),
    },
  }
}

function describeAction(action: Action): string {
  switch (action.type) {
    case 'command':
      return [action.command, ...(action.args ?? [])].join(' ')
    case 'http':
      return `${action.method} ${action.url}`
    case 'prompt':
      return action.text === undefined ? `ask a model: ${action.prompt}` : `remind: ${action.text}`
    case 'agent':
      return `ask the agent ${action.agent ?? 'of the host'}: ${action.prompt}`
    case 'function':
      return `function ${action.fn.name || 'without a name'}`
  }
}
