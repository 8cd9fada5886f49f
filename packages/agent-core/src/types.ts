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
  InstructionsKind,
  JsonObject,
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
  TraceContext,
} from '@ext/kernel/contract'
import type { ClockPort } from '@ext/kernel/types'
import type { AgentDefinition } from './agents/definition.js'
import type { AuditSink } from './audit.js'
import type { Durable } from './durable.js'
import type { AgentLimits } from './limits.js'
import type { TaskOptions } from './run-context.js'
import type { RunEvent, RunResult } from './run-events.js'
import type { SessionTotals } from './sessions/fold.js'
import type { SessionStore } from './sessions/store.js'
import type { Tracer } from './trace.js'

export type { Message, ModelRequest, ToolMessageResult, ToolSpec } from '@ext/kernel/contract'
export type { AgentDefinition } from './agents/definition.js'
export type { AuditRecord, AuditSink } from './audit.js'
export type { AuditSource } from './audit-source.js'
export type { Durable } from './durable.js'
export type { AgentLimits } from './limits.js'
export type { TaskOptions } from './run-context.js'
export type { RunEvent, RunEventFields, RunEventType, RunReason, RunResult, Usage } from './run-events.js'
export type { SessionTotals } from './sessions/fold.js'
export type { CallUsage, SessionEvent, SessionEventFields, SessionHeader } from './sessions/log.js'
export type {
  KeptSession,
  SessionMatch,
  SessionQuery,
  SessionStore,
  SessionSummary,
  SessionWriter,
} from './sessions/store.js'
export type { TaskFile, TaskFiles } from './tasks/files.js'
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
  /** Tokens that a request and its answer may have together. Without it nothing is compacted before the model complains. */
  readonly contextTokens?: number
}

export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  /** The model thinks aloud: for people, and no part of its answer. */
  | { readonly type: 'reasoning'; readonly text: string }
  /** The model is at work on what it gives as a whole, such as a long input: it is not silent. */
  | { readonly type: 'working' }
  /** @param input anything, since models err; what is not an object is rejected with a message to the model */
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'usage'
      /** All of them, also those from a cache. */
      readonly inputTokens: number
      readonly outputTokens: number
      /** How many of the input were read from the prompt cache of the provider. */
      readonly cacheReadTokens?: number
      /** How many of the input were written to it. */
      readonly cacheWriteTokens?: number
      /** In US dollars. */
      readonly costUsd?: number
    }
  /** The answer ends before its end: at the limit of output tokens, or at a filter of the provider. */
  | { readonly type: 'cut'; readonly by: CutBy }
  /** What the model wants back with this answer in later requests, as `meta` of its message. The last one counts. */
  | { readonly type: 'meta'; readonly meta: JsonObject }

/** What has cut an answer off. */
export type CutBy = 'length' | 'filter'

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
    options: {
      readonly signal?: AbortSignal
      /** The span of the event, where there is one; begun when somebody asks for it. */
      readonly trace?: TraceContext | undefined
    },
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

export type ExtensionSession = Partial<
  ToolSource & ContextSource & TermsSource & RunWitness & StateKeeper & CompactionWitness & Expander
>

export interface ToolSource {
  /** Asked before every turn. Tools that are the same objects as before cost nothing. */
  tools(): readonly Tool[]
  /**
   * A tool that can be called and is not listed, as where many tools are searched. Asked for a name that is in no list, which
   * need not end in a call.
   */
  tool?(name: string): Tool | undefined
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

/** Makes something of a name, such as the start of a skill. */
export interface Expander {
  /** For the `skills` of a sub-agent. A rejection is a problem. */
  expand(
    command: { readonly name: string; readonly args: string },
    options: { readonly signal: AbortSignal; readonly terms: readonly RunTerms[] },
  ): Promise<PromptExpansion>
}

/** Keeps something that a session has to have again when it is resumed, such as what is active in it. */
export interface StateKeeper {
  /** As JSON. Asked after every turn. It is kept by the place of the extension in the agent. */
  state(): unknown
  /**
   * Takes up what {@link state} has given, before the first run. It comes from a file, so it can be anything.
   * @returns `missing`: names of what there is no more, for the user
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: an extension may have nothing to say
  restore(saved: unknown): { readonly missing?: readonly string[] } | void
}

/** Is told that a summary has taken the place of the conversation, so that it can make what it gives to each turn shorter. */
export interface CompactionWitness {
  compact(): unknown
}

/** Finds the files in which people write down what a model shall know. */
export interface InstructionSource {
  /** Asked once for each session, before its first prompt. One that fails costs the instructions, and is said. */
  load(cwd: string, options: { readonly signal: AbortSignal }): Promise<LoadedInstructions>
}

/** What goes into the system prompt, the farthest file first. */
export interface LoadedInstructions {
  readonly files: readonly InstructionsFile[]
  /** For the user: what was cut or left out. */
  readonly notices: readonly string[]
}

export interface InstructionsFile {
  /** Absolute. */
  readonly path: string
  readonly kind: InstructionsKind
  /** `include`: another file names it */
  readonly reason: 'session_start' | 'include'
  readonly text: string
}

/** How a conversation that gets long is made shorter. */
export interface Compaction {
  /** Share of the model's context from which on; `Infinity` for never. Default 0.8. */
  readonly at?: number
  /** Newest turns that stay word for word, as far as they fit into 30 % of the context. Default 2. */
  readonly keepTurns?: number
  /** Puts messages into a summary. Default: the model of the run is asked. */
  readonly summarize?: (messages: readonly Message[], options: { readonly signal: AbortSignal }) => Promise<string>
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
  /** Keeps the sessions, so that they can be resumed. Default: they are gone with the process. */
  readonly store?: SessionStore
  /** Default: no file is looked for. */
  readonly instructions?: InstructionSource
  readonly compaction?: Compaction
  /**
   * Lets commands and sub-agents run in the background of a session, and gives the model `task_list`, `task_output` and
   * `task_stop`. Not in a durable run: an engine would not find them again. Default: everything is waited for.
   */
  readonly tasks?: TaskOptions
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
   * Has the model of a run think for somebody who works for the run, such as an MCP server that asks for it. What it uses
   * counts in the usage, the cost and the budget of the run, and one whose budget is used up refuses it, which is said. It
   * ends with the run. Rejects with the reason of `signal` when that aborts, and as `order.request` does.
   */
  sample(order: SampleOrder, options?: { readonly signal?: AbortSignal }): Promise<SampleOutcome>
  /**
   * Throws `agent-core.session.id` for an empty id, `agent-core.session.mode` for a mode that there is not, and
   * `agent-core.closed` after `close`.
   */
  session(options: SessionOptions): AgentSession
  /**
   * Takes up a session that the store has kept, with its conversation, totals, permission mode and what extensions kept.
   * What a person allowed for the session is asked again. Rejects as the {@link SessionStore} does, with
   * `agent-core.session.no-store` without one, and as {@link session} throws.
   */
  resume(id: string, options?: ResumeOptions): Promise<AgentSession>
  /**
   * Aborts what runs, waits for it, and ends every session that has begun. Extensions, gate and interceptor belong to
   * whoever made them.
   * @returns what the ends of the sessions brought, see {@link AgentSession.end}
   */
  close(): Promise<readonly RunEvent[]>
}

/** What a model is to think about for somebody. */
export interface SampleOrder {
  /** The run that it is for. Default: the only one that is under way. */
  readonly session?: SessionRef
  /** Who asks, for people: `server files`. */
  readonly by: string
  /**
   * What the model is asked. Called only if the run may still spend something, so this is the place to ask a person.
   * `undefined`: nothing is.
   */
  request(model: Pick<Model, 'id' | 'limits'>): ModelRequest | undefined | Promise<ModelRequest | undefined>
}

/** What came of it. `problem` is a sentence. */
export type SampleOutcome =
  | {
      readonly status: 'done'
      readonly text: string
      /** Which model it was. */
      readonly model: string
      readonly cut?: CutBy
    }
  /** There was no request. */
  | { readonly status: 'declined' }
  /** There is no such run, or it may spend nothing more. */
  | { readonly status: 'refused'; readonly problem: string }
  /** The model has failed. */
  | { readonly status: 'failed'; readonly problem: string }

export interface SessionOptions {
  /** Default: made by `ids`. */
  readonly id?: string
  /** Absolute path in which tools work. */
  readonly cwd: string
  /** Default `default`. */
  readonly permissionMode?: PermissionMode
  readonly user?: string
}

export interface ResumeOptions extends Partial<Omit<SessionOptions, 'id'>> {
  /** Leave the session as it is and go on with a copy of it, which has an id of its own. Default false. */
  readonly fork?: boolean
}

/** One conversation. Nothing in it is shared with other sessions of the agent. */
export interface AgentSession {
  /** Another one after {@link clear} and {@link resume}. */
  readonly id: string
  /** Of the conversation that goes on. */
  readonly permissionMode: PermissionMode
  /** A copy of the conversation so far; its messages are frozen. */
  readonly messages: readonly Message[]
  /** What it has used so far, in earlier processes as well. */
  readonly totals: SessionTotals
  /** Whether {@link continue} has something to do: the model has not had the last word. */
  readonly isUnfinished: boolean
  /**
   * Starts a run at once, whether or not anybody iterates it. One at a time: throws `agent-core.session.busy` while
   * another runs, in this session or another one of the same id, `agent-core.session.ended` after {@link end}, and
   * `agent-core.closed` after the agent was closed.
   * @param input a prompt, or messages that go behind the conversation so far and are copied at once: the last one is the
   *   prompt or holds results, and every call in them has its result, else it throws `agent-core.run.messages`. Calls that
   *   an ended process has left open are given up.
   */
  run(input: string | readonly Message[], options?: RunOptions): Run
  /**
   * Goes on without a prompt where a run ended before the model had the last word, as it does when its process was ended. A
   * call that had begun is not done again: the model is told that it may have taken effect. Calls that had not begun go
   * their way with the idempotency keys that they had, and a question that was open is asked again. Throws
   * `agent-core.session.complete` if there is nothing to go on with, and as {@link run} does.
   */
  continue(options?: Pick<RunOptions, 'signal' | 'durable'>): Run
  /**
   * Makes the conversation shorter: a run without turns, that ends with `done`, or with `stopped` if a hook refused it or
   * there was nothing to be done. Throws as {@link run} does.
   */
  compact(options?: Pick<RunOptions, 'signal' | 'durable'>): Run
  /**
   * Ends the session and begins another one in its place: a new id, an empty conversation, and no trace of what hooks,
   * gate and extensions kept for it; connections stay. Rejects with `agent-core.session.busy` during a run, with
   * `agent-core.session.id` if `ids` gives an empty one, and as {@link run} throws after an end.
   * @returns as {@link end} does
   */
  clear(): Promise<readonly RunEvent[]>
  /**
   * Ends the session and takes another one up in its place. If that can't be done, it rejects as {@link Agent.resume}, and
   * this session goes on.
   * @returns as {@link end} does
   */
  resume(id: string, options?: ResumeOptions): Promise<readonly RunEvent[]>
  /** Begins another session with a copy of this one, which goes on. Throws as {@link run} does. */
  fork(): AgentSession
  /**
   * Ends the session: a run under way is aborted, SessionEnd is fired if the session had begun, and nothing can be run any
   * more. Hooks of SessionEnd have a minute. Ending it again does nothing. An agent holds on to a session that has begun
   * until it ends.
   * @param reason default `other`
   * @returns what the hooks of SessionEnd brought, and `session_end` last
   */
  end(reason?: Exclude<SessionEndReason, 'clear' | 'resume'>): Promise<readonly RunEvent[]>
}

export interface RunOptions {
  /** Ends the run within 200 ms. */
  readonly signal?: AbortSignal
  /**
   * Remembers what is done, so that the run survives its process. Default: nothing is remembered. Throws
   * `agent-core.session.durable` if the agent has a store: the log would have everything twice after a replay.
   */
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
