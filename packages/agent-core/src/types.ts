/**
 * The ports of the agent and what it hands out. Type-only entry (`@ext/agent-core/types`).
 * @module
 */
import type {
  Authorization,
  AuthorizeOptions,
  AuthorizeRequest,
  EventResult,
  LifecycleEvent,
  LifecyclePayloads,
  Message,
  ModelRequest,
  PermissionMode,
  SessionRef,
  Tool,
} from '@ext/kernel/contract'
import type { ClockPort } from '@ext/kernel/types'
import type { RunEvent, RunResult } from './run-events.js'

export type { Message, ModelRequest, ToolMessageResult, ToolSpec } from '@ext/kernel/contract'
export type { RunEvent, RunEventFields, RunEventType, RunReason, RunResult, Usage } from './run-events.js'

// The model

export interface Model {
  /** For people and records, for example `anthropic/claude-sonnet-4-5`. */
  readonly id: string
  /**
   * Asks the model once. Fails by throwing from the stream; what came before the error is kept.
   * Should end soon after `signal` aborts, but the run does not wait for it.
   */
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<ModelEvent>
}

export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  /** @param input anything, since models err; what is not an object is rejected with a message to the model */
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'usage'; readonly inputTokens: number; readonly outputTokens: number }

// The axes

/** Acts on the life cycle without being asked: hooks. */
export interface Interceptor {
  session(ref: SessionRef): InterceptorSession
}

export interface InterceptorSession {
  /**
   * @returns `undefined` when nobody listens; `payload` is then never called. A throw or rejection costs its answer
   *   only, and is said: the run goes on as if nobody had listened, but a call after PreToolUse has to be asked.
   */
  fire<E extends LifecycleEvent>(
    event: E,
    payload: () => LifecyclePayloads[E],
    options: { readonly signal?: AbortSignal },
  ): undefined | Promise<EventResult>
}

/** Says whether a call may run: permission. */
export interface Gate {
  session(ref: SessionRef): GateSession
}

export interface GateSession {
  /** Decides, and asks whoever can be asked. A throw or rejection is a deny. */
  authorize(request: AuthorizeRequest, options: AuthorizeOptions): Promise<Authorization>
}

/** Brings tools, texts or both: MCP servers, skills. */
export interface Extension {
  session(ref: SessionRef): ExtensionSession
}

export type ExtensionSession = Partial<ToolSource & ContextSource>

export interface ToolSource {
  /** Asked before every turn. Tools that are the same objects as before cost nothing. */
  tools(): readonly Tool[]
}

export interface ContextSource {
  /** Asked before every turn. */
  context(): readonly ContextBlock[]
}

export interface ContextBlock {
  /** Who it comes from, for people. */
  readonly by: string
  /**
   * - `system`: into the system prompt, as it was before the first turn of the session; for what never changes
   * - `turn`: behind the newest message of every request, for as long as it is given
   */
  readonly place: 'system' | 'turn'
  readonly text: string
}

// The agent

export interface AgentOptions {
  readonly model: Model
  /** Start of the system prompt. */
  readonly system?: string
  /** They win over tools of the same name from `extensions`. */
  readonly tools?: readonly Tool[]
  readonly extensions?: readonly Extension[]
  readonly interceptor?: Interceptor
  /** Without one, tools of the kinds `read` and `meta` run and every other call is denied. */
  readonly gate?: Gate
  readonly ports: { readonly clock: ClockPort }
  /** Makes session and run ids. Default: random UUIDs. */
  readonly ids?: () => string
  readonly limits?: AgentLimits
  /** What loading the configuration reported, for the `session_start` event. Default: nothing. */
  readonly diagnostics?: { readonly errors: number; readonly warnings: number }
}

export interface AgentLimits {
  /** Model calls of one run. Default 50. */
  readonly maxTurns?: number
  /** Calls of tools that do not exist, in a row, until the run ends. Default 3. */
  readonly unknownToolsInARow?: number
  /** How often in one run a hook may refuse its end. Default 8. */
  readonly maxStopBlocks?: number
  /** Running time of one tool call. Default 120,000. */
  readonly toolTimeoutMs?: number
  /** Text of one tool result that reaches the model, in UTF-8. Default 256 KiB. */
  readonly maxResultBytes?: number
  /** How often a model call that failed before its first event is repeated, after 1, 2, 4, … seconds. Default 0. */
  readonly modelRetries?: number
}

export interface Agent {
  /** Throws `agent-core.session.id` for an empty id and `agent-core.closed` after `close`. */
  session(options: SessionOptions): AgentSession
  /** Aborts what runs and waits for it. Extensions, gate and interceptor belong to whoever made them. */
  close(): Promise<void>
}

export interface SessionOptions {
  /** Default: made by `ids`. */
  readonly id?: string
  /** Absolute path in which tools work. */
  readonly cwd: string
  /** Default `default`. */
  readonly permissionMode?: PermissionMode
  readonly user?: string
}

/** One conversation. Nothing in it is shared with other sessions of the agent. */
export interface AgentSession {
  readonly id: string
  /** A copy of the conversation so far. */
  readonly messages: readonly Message[]
  /**
   * Starts a run at once, whether or not anybody iterates it. One at a time: throws `agent-core.session.busy` while
   * another runs, and `agent-core.closed` after `close`.
   */
  run(input: string, options?: { readonly signal?: AbortSignal }): Run
}

/**
 * The events of a run, once: a second iteration throws `agent-core.run.iterated`. Leaving the iteration does not end
 * the run; abort its signal for that. Events wait for a slow reader; neighbouring texts are then joined.
 */
export interface Run extends AsyncIterable<RunEvent> {
  /** Settles when the run has ended, also when nobody iterates. Never rejects. */
  readonly result: Promise<RunResult>
}
