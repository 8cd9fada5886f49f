/**
 * What two packages must agree on, as types. Type-only entry (`@ext/kernel/contract`).
 * The package that makes a value decides what is in it; everyone else only reads.
 * @module
 */
import type { Source } from './types.js'

/** A JSON value without parts. */
export type JsonPrimitive = string | number | boolean | null
/** Anything that JSON can hold. */
export type JsonValue = JsonPrimitive | readonly JsonValue[] | { readonly [key: string]: JsonValue }
/** A JSON map. */
export type JsonObject = { readonly [key: string]: JsonValue }
/** A JSON Schema document. Passed through as it is. */
export type JsonSchema = { readonly [key: string]: unknown }

// Tools

/**
 * What a tool does to the world, set by whoever makes the Tool; unknown is `exec`, the strictest.
 * `meta` changes only the agent itself, such as loading a skill.
 */
export type ToolKind = 'read' | 'edit' | 'exec' | 'network' | 'meta'

/** What a tool says about itself, in the words of MCP. Believed only if its source is `trusted`. */
export interface ToolAnnotations {
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
  readonly openWorld: boolean
}

/** Where a tool comes from. */
export interface ToolSourceInfo {
  /** Name of the MCP server, for tools that come from one. */
  readonly server?: string
  /** The tool's own name at its source. */
  readonly tool: string
  /** Whether annotations and descriptions of this source are believed. */
  readonly trusted: boolean
}

/** A tool without its function: what permission and hooks need to know about it. */
export interface ToolInfo {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly kind: ToolKind
  readonly annotations: ToolAnnotations
  readonly source: ToolSourceInfo
  /** Part of the agent itself: no allow-list can remove it. */
  readonly system?: boolean
}

/** A tool that can be run. */
export interface Tool extends ToolInfo {
  /**
   * Does the work. Failures that the model can act on are results with `isError`, not exceptions;
   * a thrown error is reported as a crash of the tool. Must stop when `context.signal` aborts.
   */
  run(input: JsonObject, context: ToolContext): Promise<ToolResult>
}

/** What a tool is told about the call that it serves. */
export interface ToolContext {
  readonly signal: AbortSignal
  readonly session: SessionRef
  readonly callId: string
  /** Stable for one call of one run (run, turn, index), so that a repeated attempt can be recognised. */
  readonly idempotencyKey: string
  /** Says how far the work is. Nobody waits for it; after the end of the call it does nothing. */
  progress(update: ToolProgress): void
  /** A line for the user, never for the model. After the end of the call it does nothing. */
  report(text: string): void
}

/** How far a tool is; the fields of MCP's progress notifications. */
export interface ToolProgress {
  /** Grows from update to update. */
  readonly progress: number
  /** What `progress` will be in the end, if that is known. */
  readonly total?: number
  readonly message?: string
}

/** What a tool gives back, also when it failed. */
export interface ToolResult {
  readonly content: readonly ContentBlock[]
  readonly isError: boolean
  /** Structured form of the result, when the tool has one. */
  readonly structured?: JsonValue
  /** For programs, never shown to the model. */
  readonly meta?: JsonObject
}

/** What goes to and from the model. Shapes follow the MCP content types. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource'
      readonly resource: {
        readonly uri: string
        readonly mimeType?: string
        readonly text?: string
        readonly blob?: string
      }
    }
  | {
      readonly type: 'resource_link'
      readonly uri: string
      readonly name: string
      readonly description?: string
      readonly mimeType?: string
    }

/**
 * Says which well-known tool a host's tool is like, and which of its input fields holds what. With it one rule or
 * matcher about `Edit` holds for every tool that edits. Keys are tool names of the host.
 */
export type ToolTable = Readonly<Record<string, ToolLikeness>>

/** Which well-known tool a tool is like. */
export interface ToolLikeness {
  /** Name in the rule language: `Bash`, `Read`, `Edit`, `WebFetch`, … */
  readonly as: string
  /** Input field with the path or a list of paths; several fields for a tool such as a move, which touches two places. */
  readonly path?: string | readonly string[]
  /** Input field with the command line. */
  readonly command?: string
  /** Input field with the URL that is fetched. */
  readonly url?: string
}

/** A call as the model asked for it. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly input: JsonObject
}

// Sessions

/** `default` asks; `acceptEdits` lets edits pass; `plan` only reads; `dontAsk` turns ask into deny; `bypassPermissions` asks nothing but critical things. */
export type PermissionMode = 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions'

/** Who is talking. One process serves many sessions; every engine keeps its state per session. */
export interface SessionRef {
  /** Never empty. */
  readonly id: string
  readonly cwd: string
  readonly origin: 'main' | 'agent' | 'hook'
  readonly permissionMode: PermissionMode
  readonly user?: string
  /** Which sub-agent of the session it is; absent in the main loop. */
  readonly agent?: { readonly id: string; readonly type: string }
}

// Conversation

/** One step of a conversation between a person, a model and tools. */
export type Message =
  | { readonly role: 'user'; readonly content: readonly ContentBlock[] }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly results: readonly ToolMessageResult[] }

/** The answer to one call. Every call of an assistant message has one, in the order of the calls. */
export interface ToolMessageResult {
  readonly callId: string
  readonly name: string
  readonly isError: boolean
  readonly content: readonly ContentBlock[]
}

/** What a model is told about a tool. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
}

/** What a model is asked. */
export interface ModelRequest {
  /** Byte for byte the same in every request of a session, so that a prompt cache can hold it. */
  readonly system: string
  /** Oldest first. The last one is never the assistant's. */
  readonly messages: readonly Message[]
  /** Sorted by name. */
  readonly tools: readonly ToolSpec[]
  /** Most tokens of the answer. Default: what the model does by itself. */
  readonly maxOutputTokens?: number
}

/** What a model answered. */
export interface ModelResponse {
  readonly text: string
  readonly calls: readonly ToolCall[]
}

/** Runs sub-agents for somebody other than the model: a hook, a skill that is forked. */
export interface AgentRunner {
  /**
   * Runs one to its end, in the session that asks. Never rejects but for an abort, with the reason of `signal`: what goes
   * wrong is in the result.
   */
  run(order: AgentOrder, options: { readonly signal?: AbortSignal }): Promise<AgentOutcome>
}

/** What a sub-agent shall do. */
export interface AgentOrder {
  /** The session that asks; it has a run under way. */
  readonly session: SessionRef
  /** Name of a definition that the agent knows. Default: one without a system prompt of its own. */
  readonly type?: string
  readonly prompt: string
  /** All tools that it may use, of those that its session has. Default: those that only read. */
  readonly tools?: readonly string[]
  /** Default: what the definition says, else the model of the session. */
  readonly model?: string
  /** Default: what the definition says, else the limit of the agent. */
  readonly maxTurns?: number
}

/** What became of a sub-agent. */
export interface AgentOutcome {
  /** Whether it came to its natural end. */
  readonly done: boolean
  /** Its last message. */
  readonly text: string
  /** Why it did not come to its end. */
  readonly problem?: string
}

// Permission

/** What may happen to a call. */
export type Behavior = 'allow' | 'ask' | 'deny'

/** What somebody other than the rules thinks of a call, for example a hook. */
export interface Opinion {
  readonly behavior: 'allow' | 'ask'
  readonly by: string
  readonly reason?: string
}

/**
 * - `critical`: what no rule, mode or hook may approve · `boundary`: the workspace and its protected paths
 * - `shell`: what a command line holds that can't be judged · `rules` · `mode`: of the session
 * - `opinion`: a hook's · `default`: nothing else had an answer
 */
export type DecisionLayer = 'critical' | 'boundary' | 'shell' | 'rules' | 'mode' | 'opinion' | 'default'

/** What one layer had to say about a call. */
export interface TraceStep {
  readonly layer: DecisionLayer
  /** `none`: the layer has nothing to say about this call. */
  readonly verdict: Behavior | 'none'
  readonly reason: string
  /** The rule as it is written in its file. */
  readonly rule?: string
  readonly source?: Source
}

/** What the rules say about a call, and why. */
export interface Decision {
  readonly behavior: Behavior
  readonly decidedBy: { readonly layer: DecisionLayer; readonly rule?: string; readonly source?: Source }
  /** For people. */
  readonly reason: string
  /** For the model: what it may do instead. */
  readonly modelReason: string
  /** Every layer that was consulted, in order. */
  readonly trace: readonly TraceStep[]
  /** The narrowest rules that would allow the call. Only where a rule could. */
  readonly suggestions?: readonly string[]
  /** Only a person may allow it: a critical operation or a protected path. */
  readonly personOnly?: boolean
}

/** Something that has to be asked. */
export interface PermissionQuestion extends AuthorizeRequest {
  readonly decision: Decision
  readonly session: SessionRef
}

/** What somebody answers to a question. */
export interface PermissionAnswer {
  readonly behavior: 'allow' | 'deny'
  /** For the model. */
  readonly reason?: string
  /** Run the call with this input instead; it is decided again as a whole. */
  readonly updatedInput?: JsonObject
  /** Rules to remember for the session. They never allow more than the call that was asked about. */
  readonly rules?: readonly string[]
}

/** Somebody who may answer a question; several race, and the first answer counts. */
export interface Contender {
  /** For people and records. */
  readonly name: string
  /** A person may allow whatever is asked; automation can only refuse what is `personOnly`. */
  readonly kind: 'person' | 'automation'
  /**
   * Resolves with `undefined` for no opinion. A throw is no opinion either, and is said. `signal` aborts once the answer
   * no longer matters.
   */
  answer(question: PermissionQuestion, options: { readonly signal: AbortSignal }): Promise<PermissionAnswer | undefined>
}

/** How a call is to be authorized. */
export interface AuthorizeOptions {
  /** What a hook thinks of the call. */
  readonly opinion?: Opinion
  /** Who may answer besides those that the gate knows itself. */
  readonly contenders?: readonly Contender[]
  /** Called once, when the question is put to a person. Must not throw. */
  readonly onQuestion?: (question: PermissionQuestion) => void
  /**
   * A person's answer comes later and from elsewhere: nobody is asked here but automation, and without an answer from it
   * the authorization is a deny that is `answeredBy: 'deferred'`.
   */
  readonly defer?: boolean
  /** The answer of a person who was asked elsewhere, after a deferred question. */
  readonly answer?: PermissionAnswer
  readonly signal?: AbortSignal
}

/** The end of the way: a decision, and who answered if it had to be asked. */
export interface Authorization {
  readonly behavior: 'allow' | 'deny'
  readonly decision: Decision
  /**
   * - `rules`: no question was needed · `user`: a person · `automation`: a hook or another program
   * - `nobody`: it had to be asked and nobody could answer · `timeout`: nobody answered in time
   * - `deferred`: the answer comes later, see {@link AuthorizeOptions.defer}
   */
  readonly answeredBy: 'rules' | 'user' | 'automation' | 'nobody' | 'timeout' | 'deferred'
  /** Name of whoever answered, where it has one. */
  readonly by?: string
  readonly reason: string
  readonly modelReason: string
  /** How long the question was open. 0 without one. */
  readonly waitMs: number
  /** The input that was allowed, if whoever answered has changed it. */
  readonly updatedInput?: { readonly by: string; readonly input: JsonObject }
  /** For the user, for example that a hook's allow was overruled. */
  readonly notices: readonly Attributed[]
}

/** A call with the tool that it is for. */
export interface AuthorizeRequest {
  readonly call: ToolCall
  readonly tool: ToolInfo
}

// Life cycle

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
  /** @property from_session_id of the session that was cleared */
  SessionStart: { readonly source: 'startup' | 'clear'; readonly model: string; readonly from_session_id?: string }
  SessionEnd: { readonly reason: SessionEndReason }
  UserPromptSubmit: { readonly prompt: string }
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
  SubagentStart: { readonly agent_id: string; readonly agent_type: string }
  SubagentStop: {
    readonly agent_id: string
    readonly agent_type: string
    readonly last_assistant_message: string
    readonly stop_hook_active: boolean
  }
  Stop: { readonly stop_hook_active: boolean; readonly last_assistant_message: string; readonly iteration: number }
  StopFailure: { readonly error: StopError; readonly error_details: string }
  AfterAgent: {
    readonly last_assistant_message: string
    readonly iterations: number
    readonly usage: UsagePayload
  }
  Notification: { readonly notification_type: NotificationType; readonly message: string; readonly title?: string }
}

/** The name of a moment of a session. */
export type LifecycleEvent = keyof LifecyclePayloads

/** Why a session ends. */
export type SessionEndReason = 'clear' | 'logout' | 'prompt_input_exit' | 'other'

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
 * `permission_prompt`: a person is asked · `stream_error`: the answer of the model broke off · `hook_failing`: a hook fails
 * again and again, or a guard has failed
 */
export type NotificationType = 'permission_prompt' | 'stream_error' | 'hook_failing'

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
  /** Only inside a sub-agent. */
  readonly agent_id?: string
  /** Only inside a sub-agent: the name of its definition. */
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
  /** For the model. */
  readonly context: readonly Attributed[]
  /** For the user: messages, failures, and whatever was ignored. */
  readonly notices: readonly Attributed[]
}
