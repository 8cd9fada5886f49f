import type {
  LifecycleEvent,
  LifecyclePayloads,
  NotificationType,
  SessionEndReason,
  StopError,
} from '@ext/kernel/contract'

/**
 * What a block signal does at an event.
 * - `hard`: the action does not happen
 * - `feedback`: the stop is refused and the reason goes to the model, which continues
 * - `note`: it has already happened; the reason goes to the model
 * - `degrade`: the signal is shown to the user as "block ignored", and the action goes on
 */
export type BlockTier = 'hard' | 'feedback' | 'note' | 'degrade'

/** Fields of `hookSpecificOutput`. */
export type OutputField =
  | 'permissionDecision'
  | 'permissionDecisionReason'
  | 'updatedInput'
  | 'additionalContext'
  | 'decision'
  | 'retry'
  | 'updatedToolOutput'
  | 'updatedMCPToolOutput'
  | 'updatedRequest'
  | 'updatedResponse'

/** One moment of a session that hooks can listen to. */
export interface EventRow {
  /** Who fires it: the agent loop, or the program around it. */
  readonly owner: 'core' | 'host'
  /** The payload field that `matcher` is tested against. */
  readonly matcherField:
    | 'tool_name'
    | 'source'
    | 'reason'
    | 'model'
    | 'agent_type'
    | 'error'
    | 'notification_type'
    | 'none'
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
    subjects: allOf<LifecyclePayloads['SessionStart']['source']>({ startup: true, clear: true }),
    tier: 'degrade',
    plainStdout: 'context',
    outputs: ['additionalContext'],
  },
  SessionEnd: {
    owner: 'core',
    matcherField: 'reason',
    subjects: allOf<SessionEndReason>({ clear: true, logout: true, prompt_input_exit: true, other: true }),
    tier: 'degrade',
    plainStdout: 'user',
    outputs: [],
  },
  UserPromptSubmit: {
    owner: 'core',
    matcherField: 'none',
    tier: 'hard',
    plainStdout: 'context',
    outputs: ['additionalContext'],
  },
  BeforeModel: {
    owner: 'core',
    matcherField: 'model',
    tier: 'hard',
    plainStdout: 'user',
    outputs: ['updatedRequest', 'additionalContext'],
  },
  AfterModel: {
    owner: 'core',
    matcherField: 'model',
    tier: 'hard',
    plainStdout: 'user',
    outputs: ['updatedResponse'],
  },
  PreToolUse: {
    owner: 'core',
    matcherField: 'tool_name',
    tier: 'hard',
    plainStdout: 'user',
    outputs: ['permissionDecision', 'permissionDecisionReason', 'updatedInput', 'additionalContext'],
  },
  PermissionRequest: {
    owner: 'core',
    matcherField: 'tool_name',
    tier: 'hard',
    plainStdout: 'user',
    outputs: ['decision'],
  },
  PermissionDenied: {
    owner: 'core',
    matcherField: 'tool_name',
    tier: 'degrade',
    plainStdout: 'user',
    outputs: ['retry'],
  },
  PostToolUse: {
    owner: 'core',
    matcherField: 'tool_name',
    tier: 'note',
    plainStdout: 'user',
    outputs: ['additionalContext', 'updatedToolOutput', 'updatedMCPToolOutput'],
  },
  PostToolUseFailure: {
    owner: 'core',
    matcherField: 'tool_name',
    tier: 'note',
    plainStdout: 'user',
    outputs: ['additionalContext'],
  },
  PostToolBatch: {
    owner: 'core',
    matcherField: 'none',
    tier: 'hard',
    plainStdout: 'user',
    outputs: ['additionalContext'],
  },
  SubagentStart: {
    owner: 'core',
    matcherField: 'agent_type',
    tier: 'degrade',
    plainStdout: 'user',
    outputs: ['additionalContext'],
  },
  SubagentStop: {
    owner: 'core',
    matcherField: 'agent_type',
    tier: 'feedback',
    plainStdout: 'user',
    outputs: [],
  },
  Stop: {
    owner: 'core',
    matcherField: 'none',
    tier: 'feedback',
    plainStdout: 'user',
    outputs: ['additionalContext'],
  },
  StopFailure: {
    owner: 'core',
    matcherField: 'error',
    subjects: allOf<StopError>({
      overloaded: true,
      rate_limit: true,
      network: true,
      authentication: true,
      context_length: true,
      invalid_request: true,
      unknown: true,
      no_answer: true,
      max_turns: true,
      budget: true,
      unknown_tools: true,
      repetition: true,
      blocked: true,
      internal: true,
    }),
    tier: 'degrade',
    plainStdout: 'user',
    outputs: [],
  },
  AfterAgent: {
    owner: 'core',
    matcherField: 'none',
    tier: 'degrade',
    plainStdout: 'user',
    outputs: [],
  },
  Notification: {
    owner: 'core',
    matcherField: 'notification_type',
    subjects: allOf<NotificationType>({ permission_prompt: true, stream_error: true }),
    tier: 'degrade',
    plainStdout: 'user',
    outputs: [],
  },
}

export const EVENT_NAMES: readonly LifecycleEvent[] = Object.keys(events) as LifecycleEvent[]

/** The values of a closed set of the contract. A value that is missing here does not compile. */
function allOf<T extends string>(values: Readonly<Record<T, true>>): readonly T[] {
  return Object.keys(values) as T[]
}
