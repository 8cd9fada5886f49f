import type { Source } from '../types.js'
import type { ModelRequest, ModelResponse } from './conversation.js'
import type { JsonObject, JsonValue } from './json.js'
import type { Opinion, PermissionAnswer } from './permission.js'
import type { PermissionMode } from './session.js'

/** A text and who it comes from. */
export interface Attributed {
  readonly by: string
  readonly text: string
}

/**
 * The moments of a session and what each tells its listeners, besides the common fields that the dispatcher adds.
 * A row exists here only once something fires it.
 */
export interface LifecyclePayloads {
  /** @property from_session_id of the session that was cleared, or that this one is a copy of */
  SessionStart: {
    readonly source: SessionStartSource
    readonly model: string
    readonly from_session_id?: string
  }
  SessionEnd: { readonly reason: SessionEndReason }
  /** One file of instructions is in front of the model. */
  InstructionsLoaded: {
    readonly file_path: string
    readonly memory_type: InstructionsKind
    /** `session_start`: it was looked for · `include`: another file names it */
    readonly load_reason: 'session_start' | 'include'
  }
  UserPromptSubmit: { readonly prompt: string }
  /** A prompt `/name args` is about to become the text of a skill, or of a prompt of an MCP server. */
  UserPromptExpansion: ExpansionPayload & { readonly prompt: string }
  BeforeModel: {
    /** Counts the model calls of the run, from 1. */
    readonly iteration: number
    readonly model: string
    readonly request: ModelRequest
    /** Of the run so far. */
    readonly totals: { readonly tokens: number; readonly cost_usd: number; readonly turns: number }
  }
  AfterModel: {
    readonly iteration: number
    readonly model: string
    readonly response: ModelResponse
    readonly usage: UsagePayload
    readonly duration_ms: number
    /** From the call to the first event of the model. */
    readonly ttft_ms?: number
    readonly cost_usd?: number
  }
  PreToolUse: ToolEventPayload
  PermissionRequest: ToolEventPayload & { readonly reason: string; readonly suggestions: readonly string[] }
  PermissionDenied: ToolEventPayload & { readonly reason: string }
  PostToolUse: ToolEventPayload & { readonly tool_response: JsonValue; readonly duration_ms: number }
  PostToolUseFailure: ToolEventPayload & {
    readonly error: string
    readonly cause: FailureCause
    /** False: the tool never ran. Not executed is not the same as executed and failed. */
    readonly executed: boolean
    readonly wait_ms: number
    readonly duration_ms: number
  }
  /** The calls of one turn that had passed PreToolUse. */
  PostToolBatch: { readonly tool_calls: readonly BatchedCallPayload[] }
  /** The conversation is about to be replaced by a summary. */
  PreCompact: { readonly trigger: CompactTrigger; readonly before_tokens: number }
  PostCompact: {
    readonly trigger: CompactTrigger
    readonly before_tokens: number
    readonly after_tokens: number
    readonly summary: string
  }
  SubagentStart: { readonly agent_id: string; readonly agent_type: string }
  SubagentStop: {
    readonly agent_id: string
    readonly agent_type: string
    readonly last_assistant_message: string
    readonly stop_hook_active: boolean
    /** The file in which the sub-agent is kept; absent where it is not. */
    readonly agent_transcript_path?: string
  }
  Stop: { readonly stop_hook_active: boolean; readonly last_assistant_message: string; readonly iteration: number }
  StopFailure: { readonly error: StopError; readonly error_details: string }
  AfterAgent: {
    readonly last_assistant_message: string
    readonly iterations: number
    readonly usage: UsagePayload
  }
  /** Work shall begin in the background. A block keeps it from that. */
  TaskCreated: TaskEventPayload
  /** Work in the background has ended. A block makes it a failure, with its reason for the model. */
  TaskCompleted: TaskEventPayload & { readonly task_state: TaskState }
  Notification: { readonly notification_type: NotificationType; readonly message: string; readonly title?: string }
  /** An MCP server asks the person, who has not been asked yet. */
  Elicitation: ElicitationEventPayload & {
    /** The server's words. */
    readonly message: string
    /** Of a form: the fields as a JSON schema of a flat object. */
    readonly requested_schema?: JsonObject
    /** Of a page: where the person is to go. */
    readonly url?: string
  }
  /** It was answered, by a hook or the person, and the server has not been told yet. */
  ElicitationResult: ElicitationEventPayload & {
    readonly action: ElicitationAction
    /** Of a form that was accepted. */
    readonly content?: JsonObject
  }
  /** A file of the configuration is not any more what the session works with. */
  ConfigChange: { readonly source: ConfigChangeSource; readonly file_path: string }
  /** A file that a hook of this event names has changed. */
  FileChanged: {
    readonly file_path: string
    readonly change: FileChange
    /** The same, as Claude Code calls it. */
    readonly event: FileChange
  }
}

/** What a prompt starts that begins with `/name`. */
export interface ExpansionPayload {
  /** `slash_command`: a skill, or another text of the program · `mcp_prompt`: a prompt of an MCP server */
  readonly expansion_type: 'slash_command' | 'mcp_prompt'
  /** Without the `/`. */
  readonly command_name: string
  /** What stands behind the name, as it was typed. */
  readonly command_args: string
  /** Where the text comes from: the layer of a skill, such as `project`, or the name of the server. */
  readonly command_source: string
}

/** What the events of a question of an MCP server have in common. */
export interface ElicitationEventPayload {
  readonly mcp_server_name: string
  /** `form`: values for fields · `url`: the person is to go to a page */
  readonly mode: 'form' | 'url'
}

/** `accept`: the person agrees · `decline`: they do not · `cancel`: they did not choose */
export type ElicitationAction = 'accept' | 'decline' | 'cancel'

/**
 * Whose configuration has changed: the person's, that of the project, the person's own for the project, the
 * administrator's, or the skills or agents in their folders.
 */
export type ConfigChangeSource =
  | 'user_settings'
  | 'project_settings'
  | 'local_settings'
  | 'policy_settings'
  | 'skills'
  | 'agents'

/** `add`: it was not there before · `unlink`: it is gone */
export type FileChange = 'add' | 'change' | 'unlink'

/** The name of a moment of a session. */
export type LifecycleEvent = keyof LifecyclePayloads

/**
 * How a session begins. `startup`: a new one · `resume`: one that was kept goes on · `clear`: in the place of another one
 * · `fork`: as a copy of another one · `compact`: it goes on with a summary of what was said
 */
export type SessionStartSource = 'startup' | 'resume' | 'clear' | 'compact' | 'fork'

/** Why a session ends. `resume`: another one is taken up in its place. */
export type SessionEndReason = 'clear' | 'resume' | 'logout' | 'prompt_input_exit' | 'other'

/** Whose instructions they are: the person's own, those of the project, or the person's own for the project. */
export type InstructionsKind = 'User' | 'Project' | 'Local'

/** Who wants a compaction: a person, or the loop because the conversation is getting long. */
export type CompactTrigger = 'manual' | 'auto'

/**
 * What ended a run that did not come to its natural end.
 * - of the model: `overloaded`, `rate_limit`, `network`, `authentication`, `context_length`, `invalid_request`,
 *   `unknown`; `no_answer`: it fell silent
 * - of the run: `max_turns`, `budget`; `unknown_tools`, `repetition`: the model kept calling what does not exist, or the
 *   same thing; `blocked`: a hook refused a model call; `internal`
 */
export type StopError =
  | 'overloaded'
  | 'rate_limit'
  | 'network'
  | 'authentication'
  | 'context_length'
  | 'invalid_request'
  | 'unknown'
  | 'no_answer'
  | 'max_turns'
  | 'budget'
  | 'unknown_tools'
  | 'repetition'
  | 'blocked'
  | 'internal'

/**
 * `permission_prompt`: a person is asked · `elicitation_dialog`: a person is asked by an MCP server · `idle_prompt`: nobody
 * has said anything for a while · `stream_error`: the answer of the model broke off · `hook_failing`: a hook fails again and
 * again, or a guard has failed · `mcp_status`: an MCP server is not there any more, or is again
 */
export type NotificationType =
  | 'permission_prompt'
  | 'elicitation_dialog'
  | 'idle_prompt'
  | 'stream_error'
  | 'hook_failing'
  | 'mcp_status'

/** How far work in the background is. `cancelled`: it was stopped before its end. */
export type TaskState = 'running' | 'completed' | 'failed' | 'cancelled'

/** What the events of work in the background have in common. */
export interface TaskEventPayload {
  readonly task_id: string
  /** What it does, in one line. */
  readonly task_subject: string
  readonly task_kind: 'agent' | 'command'
}

/** Tokens, as far as the model reports them. */
export interface UsagePayload {
  readonly input_tokens: number
  readonly output_tokens: number
}

/** A call of a batch and what became of it. */
export interface BatchedCallPayload extends ToolEventPayload {
  readonly is_error: boolean
  /** False: the tool never ran. */
  readonly executed: boolean
  /** What the model is told. */
  readonly tool_response: JsonValue
}

/** What the events of a tool call have in common. */
export interface ToolEventPayload {
  readonly tool_name: string
  readonly tool_input: JsonObject
  readonly tool_use_id: string
  /** MCP server of the tool. */
  readonly server?: string
  /** What the server calls the tool; `tool_name` can be a shortened or hashed form of it. Only beside `server`. */
  readonly server_tool?: string
}

/** Why a call that had passed PreToolUse did not succeed. */
export type FailureCause = 'blocked' | 'denied' | 'invalid' | 'aborted' | 'crashed' | 'timeout' | 'remote'

/** Fields that every payload has. */
export interface CommonPayload {
  readonly session_id: string
  readonly cwd: string
  readonly hook_event_name: LifecycleEvent
  /** ISO 8601. */
  readonly timestamp: string
  readonly permission_mode: PermissionMode
  readonly schema_version: 1
  /** The file in which the session is kept; absent where it is not. A sub-agent has that of its session. */
  readonly transcript_path?: string
  /** Only inside a sub-agent. */
  readonly agent_id?: string
  /** The name of the definition of a sub-agent, or of the agent to which the main conversation was handed over. */
  readonly agent_type?: string
}

/** What a listener of an event gets. */
export type Payload<E extends LifecycleEvent = LifecycleEvent> = CommonPayload & LifecyclePayloads[E]

/**
 * - `decided`: it changed or said something · `noDecision`: it ran and had nothing to say
 * - `failed`: it could not be started, crashed or replied with nonsense (never a refusal by the user)
 * - `timedOut` · `skipped`: it did not run, `cause` says why
 */
export type HookOutcome = 'decided' | 'noDecision' | 'failed' | 'timedOut' | 'skipped'

/** What became of one hook. */
export interface HookRun {
  readonly hook: string
  readonly outcome: HookOutcome
  /** Short and stable, for example `exit 1`. */
  readonly cause?: string
  /** What the hook gave as its reason. */
  readonly reason?: string
  readonly ms: number
  readonly source?: Source
}

/** The answers of all hooks of one event, folded in config order. */
export interface EventResult {
  readonly runs: readonly HookRun[]
  /** What it stops depends on the event: the call, the prompt, the end of the run. */
  readonly block?: { readonly by: string; readonly reason: string }
  /** `continue: false`: the run ends. */
  readonly stop?: { readonly by: string; readonly reason: string }
  readonly opinion?: Opinion
  readonly updatedInput?: { readonly by: string; readonly input: JsonObject }
  /** PermissionRequest: the answer to the question. */
  readonly answer?: PermissionAnswer & { readonly by: string }
  /** PermissionDenied: the model may try the call again. */
  readonly retry?: { readonly by: string }
  /** PostToolUse: what the model gets as the result. A text, content blocks, or any other JSON. */
  readonly updatedOutput?: { readonly by: string; readonly output: JsonValue }
  /** BeforeModel: parts of the request that replace what would be sent. */
  readonly updatedRequest?: { readonly by: string; readonly request: JsonObject }
  /** AfterModel: parts of the response that replace what the model said. */
  readonly updatedResponse?: { readonly by: string; readonly response: JsonObject }
  /** Elicitation and ElicitationResult: the answer instead of that of the person. `content` only with `accept`. */
  readonly elicitation?: { readonly by: string; readonly action: ElicitationAction; readonly content?: JsonObject }
  /** For the model. */
  readonly context: readonly Attributed[]
  /** For the user: messages, failures, and whatever was ignored. */
  readonly notices: readonly Attributed[]
}
