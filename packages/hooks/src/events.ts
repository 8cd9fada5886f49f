import type {
  CommonPayload,
  CompactTrigger,
  ConfigChangeSource,
  ElicitationEventPayload,
  JsonPrimitive,
  LifecycleEvent,
  LifecyclePayloads,
  NotificationType,
  SessionEndReason,
  SessionStartSource,
  StopError,
  TaskEventPayload,
  ToolEventPayload,
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
  | 'action'
  | 'content'

/** Whether a field of a payload can have parts. */
export type FieldKind = 'value' | 'parts'

/** One moment of a session that hooks can listen to. */
export interface EventRow {
  /** Who fires it: the agent loop, or the program around it. */
  readonly owner: 'core' | 'host'
  /** The fields of its payload besides the common ones: plain values, or maps and lists with parts of their own. */
  readonly fields: Readonly<Record<string, FieldKind>>
  /** The payload field that `matcher` is tested against. */
  readonly matcherField:
    | 'tool_name'
    | 'source'
    | 'reason'
    | 'model'
    | 'agent_type'
    | 'error'
    | 'notification_type'
    | 'load_reason'
    | 'trigger'
    | 'command_name'
    | 'mcp_server_name'
    | 'file_path'
    | 'none'
  /** All values that the field can have, where they are few. */
  readonly subjects?: readonly string[]
  readonly tier: BlockTier
  /** Where plain text on stdout goes: to the model or to the user. */
  readonly plainStdout: 'context' | 'user'
  /** The fields of `hookSpecificOutput` that have an effect here. */
  readonly outputs: readonly OutputField[]
}

type FieldKinds<T> = {
  readonly [K in keyof T]-?: NonNullable<T[K]> extends JsonPrimitive ? 'value' : 'parts'
}

const TOOL_CALL: FieldKinds<ToolEventPayload> = {
  tool_name: 'value',
  tool_input: 'parts',
  tool_use_id: 'value',
  server: 'value',
  server_tool: 'value',
}

const TASK: FieldKinds<TaskEventPayload> = { task_id: 'value', task_subject: 'value', task_kind: 'value' }

const QUESTION: FieldKinds<ElicitationEventPayload> = { mcp_server_name: 'value', mode: 'value' }

/** Fields that the payload of every event has, or can have. */
export const COMMON_PAYLOAD: FieldKinds<CommonPayload> = {
  session_id: 'value',
  cwd: 'value',
  hook_event_name: 'value',
  timestamp: 'value',
  permission_mode: 'value',
  schema_version: 'value',
  transcript_path: 'value',
  agent_id: 'value',
  agent_type: 'value',
}

/** The one table of events. Types, reader, dispatcher and documentation follow it. */
export const events: Readonly<Record<LifecycleEvent, EventRow>> = {
  SessionStart: {
    owner: 'core',
    fields: fieldsOf<'SessionStart'>({ source: 'value', model: 'value', from_session_id: 'value' }),
    matcherField: 'source',
    subjects: allOf<SessionStartSource>({ startup: true, resume: true, clear: true, compact: true, fork: true }),
    tier: 'degrade',
    plainStdout: 'context',
    outputs: ['additionalContext'],
  },
  SessionEnd: {
    owner: 'core',
    fields: fieldsOf<'SessionEnd'>({ reason: 'value' }),
    matcherField: 'reason',
    subjects: allOf<SessionEndReason>({
      clear: true,
      resume: true,
      logout: true,
      prompt_input_exit: true,
      other: true,
    }),
    tier: 'degrade',
    plainStdout: 'user',
    outputs: [],
  },
  InstructionsLoaded: {
    owner: 'core',
    fields: fieldsOf<'InstructionsLoaded'>({ file_path: 'value', memory_type: 'value', load_reason: 'value' }),
    matcherField: 'load_reason',
    subjects: allOf<LifecyclePayloads['InstructionsLoaded']['load_reason']>({ session_start: true, include: true }),
    tier: 'degrade',
    plainStdout: 'user',
    outputs: [],
  },
  UserPromptSubmit: {
    owner: 'core',
    fields: fieldsOf<'UserPromptSubmit'>({ prompt: 'value' }),
    matcherField: 'none',
    tier: 'hard',
    plainStdout: 'context',
    outputs: ['additionalContext'],
  },
  UserPromptExpansion: {
    owner: 'host',
    fields: fieldsOf<'UserPromptExpansion'>({
      expansion_type: 'value',
      command_name: 'value',
      command_args: 'value',
      command_source: 'value',
      prompt: 'value',
    }),
    matcherField: 'command_name',
    tier: 'hard',
    plainStdout: 'context',
    outputs: ['additionalContext'],
  },
  BeforeModel: {
    owner: 'core',
    fields: fieldsOf<'BeforeModel'>({ iteration: 'value', model: 'value', request: 'parts', totals: 'parts' }),
    matcherField: 'model',
    tier: 'hard',
    plainStdout: 'user',
    outputs: ['updatedRequest', 'additionalContext'],
  },
  AfterModel: {
    owner: 'core',
    fields: fieldsOf<'AfterModel'>({
      iteration: 'value',
      model: 'value',
      response: 'parts',
      usage: 'parts',
      duration_ms: 'value',
      ttft_ms: 'value',
      cost_usd: 'value',
    }),
    matcherField: 'model',
    tier: 'hard',
    plainStdout: 'user',
    outputs: ['updatedResponse'],
  },
  PreToolUse: {
    owner: 'core',
    fields: fieldsOf<'PreToolUse'>({ ...TOOL_CALL }),
    matcherField: 'tool_name',
    tier: 'hard',
    plainStdout: 'user',
    outputs: ['permissionDecision', 'permissionDecisionReason', 'updatedInput', 'additionalContext'],
  },
  PermissionRequest: {
    owner: 'core',
    fields: fieldsOf<'PermissionRequest'>({ ...TOOL_CALL, reason: 'value', suggestions: 'parts' }),
    matcherField: 'tool_name',
    tier: 'hard',
    plainStdout: 'user',
    outputs: ['decision'],
  },
  PermissionDenied: {
    owner: 'core',
    fields: fieldsOf<'PermissionDenied'>({ ...TOOL_CALL, reason: 'value' }),
    matcherField: 'tool_name',
    tier: 'degrade',
    plainStdout: 'user',
    outputs: ['retry'],
  },
  PostToolUse: {
    owner: 'core',
    fields: fieldsOf<'PostToolUse'>({ ...TOOL_CALL, tool_response: 'parts', duration_ms: 'value' }),
    matcherField: 'tool_name',
    tier: 'note',
    plainStdout: 'user',
    outputs: ['additionalContext', 'updatedToolOutput', 'updatedMCPToolOutput'],
  },
  PostToolUseFailure: {
    owner: 'core',
    fields: fieldsOf<'PostToolUseFailure'>({
      ...TOOL_CALL,
      error: 'value',
      cause: 'value',
      executed: 'value',
      wait_ms: 'value',
      duration_ms: 'value',
    }),
    matcherField: 'tool_name',
    tier: 'note',
    plainStdout: 'user',
    outputs: ['additionalContext'],
  },
  PostToolBatch: {
    owner: 'core',
    fields: fieldsOf<'PostToolBatch'>({ tool_calls: 'parts' }),
    matcherField: 'none',
    tier: 'hard',
    plainStdout: 'user',
    outputs: ['additionalContext'],
  },
  PreCompact: {
    owner: 'core',
    fields: fieldsOf<'PreCompact'>({ trigger: 'value', before_tokens: 'value' }),
    matcherField: 'trigger',
    subjects: allOf<CompactTrigger>({ manual: true, auto: true }),
    tier: 'hard',
    plainStdout: 'user',
    outputs: [],
  },
  PostCompact: {
    owner: 'core',
    fields: fieldsOf<'PostCompact'>({
      trigger: 'value',
      before_tokens: 'value',
      after_tokens: 'value',
      summary: 'value',
    }),
    matcherField: 'trigger',
    subjects: allOf<CompactTrigger>({ manual: true, auto: true }),
    tier: 'degrade',
    plainStdout: 'user',
    outputs: [],
  },
  SubagentStart: {
    owner: 'core',
    fields: fieldsOf<'SubagentStart'>({ agent_id: 'value', agent_type: 'value' }),
    matcherField: 'agent_type',
    tier: 'degrade',
    plainStdout: 'user',
    outputs: ['additionalContext'],
  },
  SubagentStop: {
    owner: 'core',
    fields: fieldsOf<'SubagentStop'>({
      agent_id: 'value',
      agent_type: 'value',
      last_assistant_message: 'value',
      stop_hook_active: 'value',
      agent_transcript_path: 'value',
    }),
    matcherField: 'agent_type',
    tier: 'feedback',
    plainStdout: 'user',
    outputs: [],
  },
  Stop: {
    owner: 'core',
    fields: fieldsOf<'Stop'>({ stop_hook_active: 'value', last_assistant_message: 'value', iteration: 'value' }),
    matcherField: 'none',
    tier: 'feedback',
    plainStdout: 'user',
    outputs: ['additionalContext'],
  },
  StopFailure: {
    owner: 'core',
    fields: fieldsOf<'StopFailure'>({ error: 'value', error_details: 'value' }),
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
    fields: fieldsOf<'AfterAgent'>({ last_assistant_message: 'value', iterations: 'value', usage: 'parts' }),
    matcherField: 'none',
    tier: 'degrade',
    plainStdout: 'user',
    outputs: [],
  },
  TaskCreated: {
    owner: 'core',
    fields: fieldsOf<'TaskCreated'>({ ...TASK }),
    matcherField: 'none',
    tier: 'hard',
    plainStdout: 'user',
    outputs: [],
  },
  TaskCompleted: {
    owner: 'core',
    fields: fieldsOf<'TaskCompleted'>({ ...TASK, task_state: 'value' }),
    matcherField: 'none',
    tier: 'hard',
    plainStdout: 'user',
    outputs: [],
  },
  Notification: {
    owner: 'core',
    fields: fieldsOf<'Notification'>({ notification_type: 'value', message: 'value', title: 'value' }),
    matcherField: 'notification_type',
    subjects: allOf<NotificationType>({
      permission_prompt: true,
      elicitation_dialog: true,
      idle_prompt: true,
      stream_error: true,
      hook_failing: true,
      mcp_status: true,
    }),
    tier: 'degrade',
    plainStdout: 'user',
    outputs: [],
  },
  Elicitation: {
    owner: 'host',
    fields: fieldsOf<'Elicitation'>({ ...QUESTION, message: 'value', requested_schema: 'parts', url: 'value' }),
    matcherField: 'mcp_server_name',
    tier: 'hard',
    plainStdout: 'user',
    outputs: ['action', 'content'],
  },
  ElicitationResult: {
    owner: 'host',
    fields: fieldsOf<'ElicitationResult'>({ ...QUESTION, action: 'value', content: 'parts' }),
    matcherField: 'mcp_server_name',
    tier: 'hard',
    plainStdout: 'user',
    outputs: ['action', 'content'],
  },
  ConfigChange: {
    owner: 'host',
    fields: fieldsOf<'ConfigChange'>({ source: 'value', file_path: 'value' }),
    matcherField: 'source',
    subjects: allOf<ConfigChangeSource>({
      user_settings: true,
      project_settings: true,
      local_settings: true,
      policy_settings: true,
      skills: true,
      agents: true,
    }),
    tier: 'hard',
    plainStdout: 'user',
    outputs: [],
  },
  FileChanged: {
    owner: 'host',
    fields: fieldsOf<'FileChanged'>({ file_path: 'value', change: 'value', event: 'value' }),
    matcherField: 'file_path',
    tier: 'degrade',
    plainStdout: 'user',
    outputs: [],
  },
}

export const EVENT_NAMES: readonly LifecycleEvent[] = Object.keys(events) as LifecycleEvent[]

/** Whether the model is told anything at an event. */
export function takesContext(event: LifecycleEvent): boolean {
  const { plainStdout, outputs } = events[event]
  return plainStdout === 'context' || outputs.includes('additionalContext')
}

/** The fields of a payload of the contract. One that is missing here does not compile. */
function fieldsOf<E extends LifecycleEvent>(kinds: FieldKinds<LifecyclePayloads[E]>): EventRow['fields'] {
  return kinds
}

/** The values of a closed set of the contract. A value that is missing here does not compile. */
function allOf<T extends string>(values: Readonly<Record<T, true>>): readonly T[] {
  return Object.keys(values) as T[]
}
