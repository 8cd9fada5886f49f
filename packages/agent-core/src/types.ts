/**
 * The ports of the agent and what it hands out. Type-only entry (`@ext/agent-core/types`).
 * @module
 */
import type {
  AgentRunner,
  Attributed,
  Authorization,
  AuthorizeOptions,
  AuthorizeRequest,
  EventResult,
  LifecycleEvent,
  LifecyclePayloads,
  Message,
  ModelRequest,
  PermissionMode,
  RunTerms,
  SessionEndReason,
  SessionRef,
  Tool,
  ToolTable,
} from '@ext/kernel/contract'
import type { ClockPort } from '@ext/kernel/types'
import type { AgentDefinition } from './agents/definition.js'
import type { AuditSink } from './audit.js'
import type { Durable } from './durable.js'
import type { AgentLimits } from './limits.js'
import type { RunEvent, RunResult } from './run-events.js'
import type { Tracer } from './trace.js'

export type { Message, ModelRequest, ToolMessageResult, ToolSpec } from '@ext/kernel/contract'
export type { AgentDefinition } from './agents/definition.js'
export type { AuditRecord, AuditSink } from './audit.js'
export type { Durable } from './durable.js'
export type { AgentLimits } from './limits.js'
export type { RunEvent, RunEventFields, RunEventType, RunReason, RunResult, Usage } from './run-events.js'
export type { Span, SpanAttributes, Tracer } from './trace.js'

// The model

export interface Model {
  /** For people and records, for example `anthropic/claude-sonnet-4-5`. */
  readonly id: string
  readonly limits?: ModelLimits
  /**
   * Asks the model once. Fails by throwing from the stream, best a `ModelError`; what came before the error is kept.
   * Should end soon after `signal` aborts, but the run does not wait for it.
   */
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<ModelEvent>
}

/** What a model takes. */
export interface ModelLimits {
  /** Whether it takes images. Default no: it is told that there was one. */
  readonly images?: boolean
  /** Whether it takes sound. Default no. */
  readonly audio?: boolean
}

export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  /** @param input anything, since models err; what is not an object is rejected with a message to the model */
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'usage'
      readonly inputTokens: number
      readonly outputTokens: number
      /** In US dollars. */
      readonly costUsd?: number
    }

// The axes

/** Acts on the life cycle without being asked: hooks. */
export interface Interceptor {
  session(ref: SessionRef): InterceptorSession
}

export interface InterceptorSession {
  /**
   * @returns `undefined` when nobody listens; `payload` is then never called. A throw or rejection costs its answer
   *   only, and is said, and so does an answer that is none: the run goes on as if nobody had listened, but a call after
   *   PreToolUse has to be asked.
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
  /**
   * Decides, and asks whoever can be asked. A throw or rejection is a deny, and so is an answer that is none. It has to
   * hold to the limits of `options.terms`: nobody else looks at what a call does.
   */
  authorize(request: AuthorizeRequest, options: AuthorizeOptions): Promise<Authorization>
}

/** Brings tools, texts or both: MCP servers, skills. One that throws or gives something else is left out, which is said. */
export interface Extension {
  session(ref: SessionRef): ExtensionSession
}

export type ExtensionSession = Partial<ToolSource & ContextSource & TermsSource & RunWitness>

export interface ToolSource {
  /** Asked before every turn. Tools that are the same objects as before cost nothing. */
  tools(): readonly Tool[]
}

export interface ContextSource {
  /** Asked before every turn. */
  context(): readonly ContextBlock[]
}

/** Has a say in what calls may run and what model is asked, for as long as it gives its terms. */
export interface TermsSource {
  /**
   * Asked before every model call and every tool call, also those of sub-agents, for which limits hold as well. Best the
   * same values as long as nothing changes. Of one that throws nobody knows what it would have refused, so calls are.
   */
  terms(): readonly RunTerms[]
}

/** Is told what happens in a run. Nobody waits for it, and a throw is only said. */
export interface RunWitness {
  /** A tool was run, in the session or in a sub-agent of it, whatever came of it. */
  called(request: AuthorizeRequest): void
  /** The run or the sub-agent of the session is over, however it ended. What was for the run only ends now. */
  runEnded(): void
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
  /** Sub-agents that the model may start with the tool `agent`. Without any there is no such tool. */
  readonly agents?: readonly AgentDefinition[]
  /** The model that a sub-agent's definition names. Without it, or for a name it does not know, the starter's is used. */
  readonly models?: (name: string) => Model | undefined
  /** Which well-known tools the agent's tools are like, so that a sub-agent's list may say `Bash`. Default: none. */
  readonly toolTable?: ToolTable
  /** Gets one record of each tool call. */
  readonly audit?: AuditSink
  readonly tracer?: Tracer
  /** What loading the configuration reported, for the `session_start` event. Default: nothing. */
  readonly diagnostics?: { readonly errors: number; readonly warnings: number }
}

export interface Agent {
  /**
   * Runs sub-agents for hooks and skills: in the run of the session that asks, in its budget, with its tools at most. They
   * end with that run, and start no others.
   */
  readonly runner: AgentRunner
  /**
   * Throws `agent-core.session.id` for an empty id, `agent-core.session.mode` for a mode that there is not, and
   * `agent-core.closed` after `close`.
   */
  session(options: SessionOptions): AgentSession
  /**
   * Aborts what runs, waits for it, and ends every session that has begun. Extensions, gate and interceptor belong to
   * whoever made them.
   * @returns what the ends of the sessions brought, see {@link AgentSession.end}
   */
  close(): Promise<readonly RunEvent[]>
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
  /** Another one after {@link clear}. */
  readonly id: string
  /** A copy of the conversation so far; its messages are frozen. */
  readonly messages: readonly Message[]
  /**
   * Starts a run at once, whether or not anybody iterates it. One at a time: throws `agent-core.session.busy` while
   * another runs, in this session or another one of the same id, `agent-core.session.ended` after {@link end}, and
   * `agent-core.closed` after the agent was closed.
   * @param input a prompt, or messages that go behind the conversation so far and are copied at once: the last one is the
   *   prompt or holds results, and every call in them has its result, else it throws `agent-core.run.messages`
   */
  run(input: string | readonly Message[], options?: RunOptions): Run
  /**
   * Ends the session and begins another one in its place: a new id, an empty conversation, and no trace of what hooks,
   * gate and extensions kept for it; connections stay. Rejects with `agent-core.session.busy` during a run, with
   * `agent-core.session.id` if `ids` gives an empty one, and as {@link run} throws after an end.
   * @returns as {@link end} does
   */
  clear(): Promise<readonly RunEvent[]>
  /**
   * Ends the session: a run under way is aborted, SessionEnd is fired if the session had begun, and nothing can be run any
   * more. Hooks of SessionEnd have a minute. Ending it again does nothing. An agent holds on to a session that has begun
   * until it ends.
   * @param reason default `other`
   * @returns what the hooks of SessionEnd brought, and `session_end` last
   */
  end(reason?: Exclude<SessionEndReason, 'clear'>): Promise<readonly RunEvent[]>
}

export interface RunOptions {
  /** Ends the run within 200 ms. */
  readonly signal?: AbortSignal
  /** Remembers what is done, so that the run survives its process. Default: nothing is remembered. */
  readonly durable?: Durable
  /**
   * Makes something of the prompt, such as the start of a skill, once hooks have let it pass and before the first turn. One
   * step of the run. A rejection ends the run as a problem does.
   */
  readonly expand?: (options: { readonly signal: AbortSignal }) => Promise<PromptExpansion>
}

/** What goes behind a prompt, or why the run can't begin. */
export type PromptExpansion =
  | { readonly context: readonly Attributed[]; readonly problem?: undefined }
  | { readonly problem: Attributed; readonly context?: undefined }

/**
 * The events of a run, once: a second iteration throws `agent-core.run.iterated`. Leaving the iteration does not end
 * the run; abort its signal for that. Events wait for a slow reader: beyond 4,096 neighbouring texts are joined, beyond
 * 16,384 the oldest are given up, which `dropped` says.
 */
export interface Run extends AsyncIterable<RunEvent> {
  /** Settles when the run has ended, also when nobody iterates. Never rejects. */
  readonly result: Promise<RunResult>
}
