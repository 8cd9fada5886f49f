import type {
  Authorization,
  Behavior,
  ContentBlock,
  Decision,
  HookOutcome,
  LifecycleEvent,
  ToolProgress,
} from '@ext/kernel/contract'

/**
 * Why a run ended.
 * - `done`: the model had nothing more to do · `max_turns`: the limit was reached
 * - `stopped`: a hook ended the run · `blocked`: a hook refused the prompt
 * - `aborted`: the caller's signal · `error`: the model failed, or kept calling tools that do not exist
 */
export type RunReason = 'done' | 'stopped' | 'max_turns' | 'aborted' | 'blocked' | 'error'

export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
}

export interface RunResult {
  readonly reason: RunReason
  /** What the model said in the last turn. */
  readonly text: string
  /** Sum over the model calls of this run, as far as the model reports it. */
  readonly usage: Usage
  /** Model calls of this run. */
  readonly turns: number
}

/**
 * What happens in a run, as it happens. Each event is also one line of `ext run --output stream-json`: fields may be
 * added, none is removed. Every `tool_call` is followed by exactly one `tool_result` or `tool_rejected` of its id.
 */
export type RunEvent = { readonly [T in RunEventType]: RunEventBase<T> & RunEventFields[T] }[RunEventType]

export type RunEventType = keyof RunEventFields

export interface RunEventBase<T extends RunEventType = RunEventType> {
  readonly v: 1
  readonly type: T
  readonly session_id: string
  /** ISO 8601. */
  readonly ts: string
}

export interface RunEventFields {
  /** First event of the first run of a session. */
  session_start: {
    readonly model: string
    readonly tools: readonly string[]
    readonly diagnostics: { readonly errors: number; readonly warnings: number }
  }
  /** The prompt, once the hooks have let it pass. */
  user: { readonly text: string }
  /** A piece of the model's answer. */
  text: { readonly text: string }
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
  permission: {
    readonly tool_use_id: string
    readonly behavior: Exclude<Behavior, 'ask'>
    readonly decidedBy: Decision['decidedBy']
    readonly reason: string
    readonly answeredBy: Authorization['answeredBy']
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
  /** For the user. */
  notice: { readonly text: string; readonly by?: string }
  /** Always the last event. */
  result: RunResult
}
