import type { AgentRunner, SessionRef, Tool, ToolTable } from '@ext/kernel/contract'
import type { ClockPort } from '@ext/kernel/types'
import type { AgentDefinition } from '../agents/definition.js'
import type { HandoffOptions } from '../agents/handoff/options.js'
import type { AuditSink } from '../audit.js'
import type { AgentLimits } from '../limits.js'
import type { TaskOptions } from '../run-context.js'
import type { RunEvent } from '../run-events.js'
import type { SessionStore } from '../sessions/store.js'
import type { Tracer } from '../trace.js'
import type { Model } from './model.js'
import type { Compaction, Extension, Gate, InstructionSource, Interceptor } from './ports.js'
import type { SampleOrder, SampleOutcome } from './sample.js'
import type { AgentSession, ResumeOptions, SessionOptions } from './session.js'

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
  /** Lets agents hand the conversation over, to those whose definition says `handoff`. Default: none can. */
  readonly handoff?: HandoffOptions
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
  /**
   * Asked before every turn of a session, not of its sub-agents: for what may change between two turns and not within one,
   * such as configuration that is loaded again. The turn waits for it. A rejection is said and costs nothing. It is no step
   * of a durable run: a replay asks again.
   * @returns for the user
   */
  readonly beforeTurn?: (
    session: SessionRef,
    options: { readonly signal: AbortSignal },
  ) => undefined | Promise<readonly string[] | undefined>
  /**
   * After so many milliseconds without a run, hooks of Notification are told `idle_prompt`, once until the next run. Only in
   * a session that has begun. Default: they are not.
   */
  readonly idleMs?: number
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
   * ends with the run. Neither holds for whoever `guards`. Rejects with the reason of `signal` when that aborts, and as
   * `order.request` does.
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
