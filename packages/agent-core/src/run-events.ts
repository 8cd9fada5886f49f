import type {
  Authorization,
  Behavior,
  CompactTrigger,
  ContentBlock,
  Decision,
  HookOutcome,
  JsonValue,
  LifecycleEvent,
  ModelEffort,
  SessionEndReason,
  SessionStartSource,
  StopError,
  TaskEventPayload,
  TaskState,
  ToolProgress,
} from '@ext/kernel/contract'

/**
 * Why a run ended.
 * - `done`: the model had nothing more to do · `stopped`: a hook ended the run
 * - `blocked`: a hook refused the prompt, a model call or its answer
 * - `max_turns`, `budget`: a limit was reached · `aborted`: the caller's signal
 * - `error`: the model or the engine of a durable run failed, or the model kept making calls that lead nowhere
 */
export type RunReason = 'done' | 'stopped' | 'blocked' | 'max_turns' | 'budget' | 'aborted' | 'error'

export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
}

export interface RunResult {
  readonly reason: RunReason
  /** What the model said in the last turn. */
  readonly text: string
  /** Sum over the model calls of this run and its sub-agents, as far as the model reports it. */
  readonly usage: Usage
  /** In US dollars, where the model reports it. */
  readonly costUsd?: number
  /** Model calls of this run, without those of sub-agents. */
  readonly turns: number
  /** What ended a run that did not come to its natural end. */
  readonly error?: { readonly kind: StopError; readonly message: string }
}

/**
 * What happens in a run, as it happens. Each event is also one line of `ext run --output stream-json`: fields may be
 * added, none is removed. Every `tool_call` is followed by exactly one `tool_result` or `tool_rejected` of its id, and every
 * `model_start` and `agent_start` by its end.
 */
export type RunEvent = { readonly [T in RunEventType]: RunEventBase<T> & RunEventFields[T] }[RunEventType]

export type RunEventType = keyof RunEventFields

export interface RunEventBase<T extends RunEventType = RunEventType> {
  readonly v: 1
  readonly type: T
  readonly session_id: string
  /** ISO 8601. */
  readonly ts: string
  /** The sub-agent in which it happened. */
  readonly agent_id?: string
  readonly agent_type?: string
}

export interface RunEventFields {
  /** First event of the first run of a session, also after it was cleared, taken up again or copied. */
  session_start: {
    readonly source: Exclude<SessionStartSource, 'compact'>
    /** Its working folder. */
    readonly cwd: string
    readonly model: string
    readonly tools: readonly string[]
    /** The agent that has the conversation, where it was handed over. */
    readonly agent?: string
    readonly diagnostics: { readonly errors: number; readonly warnings: number }
  }
  /** The end of a session. What its hooks say stands before it. */
  session_end: { readonly reason: SessionEndReason }
  /** A sub-agent begins, in the call `tool_use_id` if it was not a hook or a skill that asked for it. */
  agent_start: { readonly tool_use_id?: string; readonly model: string; readonly tools: readonly string[] }
  /** Last event of a sub-agent. */
  agent_end: RunResult & { readonly tool_use_id?: string }
  /** From the next model call on another agent has the conversation. Names of definitions, or what the first agent is called. */
  handoff: { readonly from: string; readonly to: string; readonly reason?: string }
  /** Something begins in the background. */
  task_start: {
    readonly task_id: string
    readonly kind: TaskEventPayload['task_kind']
    readonly subject: string
    readonly tool_use_id: string
  }
  /** It has ended. Where no run was under way then, the next one or the end of the session tells it. */
  task_end: {
    readonly task_id: string
    readonly kind: TaskEventPayload['task_kind']
    readonly subject: string
    readonly state: Exclude<TaskState, 'running'>
    readonly how: string
    readonly duration_ms: number
  }
  /** The model is asked. */
  model_start: {
    readonly turn: number
    readonly model: string
    readonly effort?: ModelEffort
    /** Who has it think, where that is not the agent itself: `server files`. Nothing of its answer is told. */
    readonly by?: string
  }
  /** It has answered, or failed. */
  model_end: {
    readonly turn: number
    readonly duration_ms: number
    /** From the call to its first event. */
    readonly ttft_ms?: number
    readonly input_tokens: number
    readonly output_tokens: number
    /** Tokens of the input that the provider had in its prompt cache, and that it put there. */
    readonly cache_read_tokens?: number
    readonly cache_write_tokens?: number
    readonly cost_usd?: number
    /** The answer ends before its end: at the limit of output tokens, or at a filter of the provider. */
    readonly cut?: 'length' | 'filter'
    readonly error?: string
    /** As in `model_start`. */
    readonly by?: string
  }
  /** A hook has replaced what is sent to the model, what the model said, or what a tool gave. */
  changed: {
    readonly by: string
    readonly what: 'request' | 'response' | 'output'
    readonly tool_use_id?: string
    /** What it was before. Of a request only the names of the replaced parts. */
    readonly original: JsonValue
  }
  /** The prompt, once the hooks have let it pass. */
  user: { readonly text: string }
  /** A piece of the model's answer. */
  text: { readonly text: string }
  /** The model thinks aloud. No part of its answer; a replay does not tell it again. */
  reasoning: { readonly text: string }
  tool_call: {
    readonly tool_use_id: string
    readonly tool: string
    readonly input: unknown
    readonly source: { readonly server?: string; readonly tool: string }
  }
  /** One hook ran. */
  hook: {
    readonly event: LifecycleEvent
    readonly hook: string
    readonly outcome: HookOutcome
    readonly cause?: string
    readonly reason?: string
    readonly ms: number
    readonly tool_use_id?: string
  }
  /** A person is asked whether a call may run. */
  question: {
    readonly tool_use_id: string
    readonly reason: string
    /** The narrowest rules that would allow the call. */
    readonly suggestions: readonly string[]
    /** In a durable run that waits: what the answer is given to. */
    readonly topic?: string
  }
  permission: {
    readonly tool_use_id: string
    readonly behavior: Exclude<Behavior, 'ask'>
    readonly decidedBy: Decision['decidedBy']
    readonly reason: string
    readonly answeredBy: Authorization['answeredBy']
    /** Name of whoever answered, where it has one. */
    readonly by?: string
    /** How long the question was open. */
    readonly wait_ms: number
  }
  /** How far a tool is that still runs. */
  progress: ToolProgress & { readonly tool_use_id: string }
  /** How a call ended that had passed the check of its input. */
  tool_result: {
    readonly tool_use_id: string
    readonly tool: string
    readonly is_error: boolean
    /** What the model gets. */
    readonly content: readonly ContentBlock[]
    /** False: the tool never ran. */
    readonly executed: boolean
    /** Running only; waiting for an answer is in `permission`. */
    readonly duration_ms: number
  }
  /** A call that never got as far as the hooks. */
  tool_rejected: { readonly tool_use_id: string; readonly tool: string; readonly reason: string }
  /** A text from outside the conversation is now in front of the model, for example a skill. */
  context: { readonly by: string; readonly place: 'system' | 'turn'; readonly text: string }
  /** A summary stands in the place of the beginning of the conversation. Tokens as far as they are known. */
  compacted: {
    readonly trigger: CompactTrigger
    readonly before_tokens: number
    readonly after_tokens: number
    readonly summary: string
  }
  /** Nobody read in time, so the oldest events were given up. Stands in their place. */
  dropped: { readonly count: number }
  /** For the user. */
  notice: { readonly text: string; readonly by?: string }
  /** Always the last event. */
  result: RunResult
}
