import type { LifecycleEvent } from '@ext/kernel/contract'

/**
 * What a block signal does at an event.
 * - `hard`: the action does not happen
 * - `feedback`: the stop is refused and the reason goes to the model, which continues
 * - `note`: it has already happened; the reason goes to the model
 * - `degrade`: the signal is shown to the user as "block ignored", and the action goes on
 */
export type BlockTier = 'hard' | 'feedback' | 'note' | 'degrade'

/** Fields of `hookSpecificOutput`. */
export type OutputField = 'permissionDecision' | 'permissionDecisionReason' | 'updatedInput' | 'additionalContext'

/** One moment of a session that hooks can listen to. */
export interface EventRow {
  /** Who fires it: the agent loop, or the program around it. */
  readonly owner: 'core' | 'host'
  /** The payload field that `matcher` is tested against. */
  readonly matcherField: 'tool_name' | 'source' | 'none'
  /** All values that the field can have, where they are few. */
  readonly subjects?: readonly string[]
  readonly tier: BlockTier
  /** Where plain text on stdout goes: to the model or to the user. */
  readonly plainStdout: 'context' | 'user'
  /** The fields of `hookSpecificOutput` that have an effect here. */
  readonly outputs: readonly OutputField[]
}

/** The one table of events. Types, reader, dispatcher and documentation follow it. */
export const events: Readonly<Record<LifecycleEvent, EventRow>> = {
  SessionStart: {
    owner: 'core',
    matcherField: 'source',
    subjects: ['startup'],
    tier: 'degrade',
    plainStdout: 'context',
    outputs: ['additionalContext'],
  },
  UserPromptSubmit: {
    owner: 'core',
    matcherField: 'none',
    tier: 'hard',
    plainStdout: 'context',
    outputs: ['additionalContext'],
  },
  PreToolUse: {
    owner: 'core',
    matcherField: 'tool_name',
    tier: 'hard',
    plainStdout: 'user',
    outputs: ['permissionDecision', 'permissionDecisionReason', 'updatedInput', 'additionalContext'],
  },
  PostToolUse: {
    owner: 'core',
    matcherField: 'tool_name',
    tier: 'note',
    plainStdout: 'user',
    outputs: ['additionalContext'],
  },
  PostToolUseFailure: {
    owner: 'core',
    matcherField: 'tool_name',
    tier: 'note',
    plainStdout: 'user',
    outputs: ['additionalContext'],
  },
  Stop: {
    owner: 'core',
    matcherField: 'none',
    tier: 'feedback',
    plainStdout: 'user',
    outputs: ['additionalContext'],
  },
}

export const EVENT_NAMES: readonly LifecycleEvent[] = Object.keys(events) as LifecycleEvent[]

/** Names that hook files use and that nothing fires in this version: from Claude Code and its relatives. */
const NOT_FIRED = [
  'SessionEnd',
  'SessionResume',
  'Setup',
  'InstructionsLoaded',
  'UserPromptExpansion',
  'PreUserMessage',
  'BeforeModel',
  'AfterModel',
  'PreModelSwitch',
  'PostModelSwitch',
  'PreSkillShellCommand',
  'PermissionRequest',
  'PermissionDenied',
  'PostToolBatch',
  'PreCompact',
  'PreCompress',
  'PostCompact',
  'SubagentStart',
  'SubagentStop',
  'StopFailure',
  'AfterAgent',
  'Notification',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'CwdChanged',
  'FileChanged',
  'DirectoryAdded',
  'WorktreeCreate',
  'WorktreeRemove',
  'TaskCreated',
  'TaskCompleted',
  'TeammateIdle',
  'MessageDisplay',
] as const

/** Other products' names for the same moments. */
const ALIASES: Readonly<Record<string, LifecycleEvent>> = {
  BeforeTool: 'PreToolUse',
  AfterTool: 'PostToolUse',
  BeforeAgent: 'UserPromptSubmit',
}

/** What a name in a file means: an event, or a name that is known and never fires here. */
export type EventName =
  | { readonly event: LifecycleEvent; readonly notFired?: undefined }
  | { readonly event?: undefined; readonly notFired: string }

const KNOWN: ReadonlyMap<string, EventName> = new Map([
  ...EVENT_NAMES.flatMap((event) => spelled(event, { event })),
  ...Object.entries(ALIASES).flatMap(([alias, event]) => spelled(alias, { event })),
  ...NOT_FIRED.flatMap((notFired) => spelled(notFired, { notFired })),
])

/** `PreToolUse`, `preToolUse` and `pre_tool_use` are the same. `undefined` for names that nobody knows. */
export function eventNamed(name: string): EventName | undefined {
  return KNOWN.get(name)
}

/** For did-you-mean. */
export const KNOWN_EVENT_NAMES: readonly string[] = [...EVENT_NAMES, ...NOT_FIRED]

function spelled(pascal: string, meaning: EventName): readonly (readonly [string, EventName])[] {
  const camel = pascal.charAt(0).toLowerCase() + pascal.slice(1)
  const snake = camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return [pascal, camel, snake].map((name) => [name, meaning])
}
