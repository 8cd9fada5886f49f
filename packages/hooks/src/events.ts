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
