import type { LifecycleEvent } from '@ext/kernel/contract'
import { EVENT_NAMES } from './events.js'

/** Names that hook files use and that nothing fires in this version: from Claude Code and its relatives. */
export const unfiredEvents: readonly string[] = [
  'Setup',
  'PreModelSwitch',
  'PostModelSwitch',
  'PreSkillShellCommand',
  'CwdChanged',
  'DirectoryAdded',
  'WorktreeCreate',
  'WorktreeRemove',
  'TeammateIdle',
  'MessageDisplay',
]

/** Other products' names for the same moments. */
const ALIASES: Readonly<Record<string, LifecycleEvent>> = {
  BeforeTool: 'PreToolUse',
  AfterTool: 'PostToolUse',
  BeforeAgent: 'UserPromptSubmit',
  PreUserMessage: 'BeforeModel',
  PreCompress: 'PreCompact',
}

/** Names for one case of a moment. */
const CASES: Readonly<Record<string, { readonly event: LifecycleEvent; readonly matcher: string }>> = {
  SessionResume: { event: 'SessionStart', matcher: 'resume' },
}

/** What a name in a file means: an event, or a name that is known and never fires here. */
export type EventName =
  | {
      readonly event: LifecycleEvent
      /** The name stands for one case of the event: its matcher, whatever else is written. */
      readonly matcher?: string
      readonly notFired?: undefined
    }
  | { readonly event?: undefined; readonly notFired: string }

const KNOWN: ReadonlyMap<string, EventName> = new Map([
  ...EVENT_NAMES.flatMap((event) => spelled(event, { event })),
  ...Object.entries(ALIASES).flatMap(([alias, event]) => spelled(alias, { event })),
  ...Object.entries(CASES).flatMap(([name, meaning]) => spelled(name, meaning)),
  ...unfiredEvents.flatMap((notFired) => spelled(notFired, { notFired })),
])

/** `PreToolUse`, `preToolUse` and `pre_tool_use` are the same. `undefined` for names that nobody knows. */
export function eventNamed(name: string): EventName | undefined {
  return KNOWN.get(name)
}

/** For did-you-mean. */
export const KNOWN_EVENT_NAMES: readonly string[] = [...EVENT_NAMES, ...unfiredEvents]

function spelled(pascal: string, meaning: EventName): readonly (readonly [string, EventName])[] {
  const camel = pascal.charAt(0).toLowerCase() + pascal.slice(1)
  const snake = camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return [pascal, camel, snake].map((name) => [name, meaning])
}
