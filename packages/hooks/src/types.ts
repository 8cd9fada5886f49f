/**
 * Types of `@ext/hooks` (`@ext/hooks/types`); importing them costs nothing at run time.
 * @module
 */
import type { ConfigSource, Diagnostic, HostPorts, Located, Snapshot } from '@ext/kernel'
import type {
  EventResult,
  LifecycleEvent,
  LifecyclePayloads,
  SessionRef,
  ToolTable,
  TraceContext,
} from '@ext/kernel/contract'
import type { EnvPreset } from '@ext/kernel/env'
import type { HashPort, Trust, TrustSubject } from '@ext/kernel/trust'
import type { CompiledHook } from './compile.js'
import type { HookEntry } from './config/entry.js'
import type { DoctorReport } from './doctor/doctor.js'
import type { ExplainedHook } from './explain.js'
import type { FunctionHook } from './function.js'
import type { HookHost } from './host.js'
import type { LedgerPort } from './ledger.js'
import type { ListedHook } from './list.js'
import type { HooksStats } from './stats.js'
import type { HookTracer } from './tracer.js'
import type { TriedEvent } from './try-event.js'
import type { TriedHook, TryOptions, TryProblem } from './try-hook.js'

export type { LifecycleEvent, Payload } from '@ext/kernel/contract'
export type { Matcher } from '@ext/kernel/match'
export type { CompiledHook } from './compile.js'
export type { Action, AgentAction, CommandAction, FunctionAction, HttpAction, PromptAction } from './config/actions.js'
export type { HookDialect, HookEntry, StdoutTarget } from './config/entry.js'
export type { DiagnosedHook, DoctorReport } from './doctor/doctor.js'
export type { HookEffect, HookFault } from './doctor/effect.js'
export type { EventName } from './event-names.js'
export type { BlockTier, EventRow, OutputField } from './events.js'
export type { ExplainedHook } from './explain.js'
export type { FunctionContext, FunctionHook, FunctionOptions, FunctionReply, HookFunction } from './function.js'
export type { HookReply, OwnOutput } from './hook-reply.js'
export type { HookHost, HookModel, HookModelEvent, HookModelOptions } from './host.js'
export type { LedgerEffect, LedgerPort, LedgerRecord } from './ledger.js'
export type { ListedHook } from './list.js'
export type { Condition } from './match/condition.js'
export type { Replies } from './replies.js'
export type { HookStats, HooksStats } from './stats.js'
export type { HookSpan, HookSpanAttributes, HookTracer } from './tracer.js'
export type { TriedEvent, TriedRun } from './try-event.js'
export type { TriedHook, TryOptions, TryProblem } from './try-hook.js'

export interface HooksOptions {
  /**
   * Files and values of the dialects `ext` (section `hooks`) and `claude-settings` (top-level `hooks`), root folders of
   * plugins (`claude-plugin`), and files with a header: `skill` for each SKILL.md, `agent` for each agent.
   */
  readonly layers: readonly ConfigSource[]
  /** Absolute path of the project folder: HOOK_PROJECT_DIR, and CLAUDE_PROJECT_DIR for Claude-format files. */
  readonly root: string
  /** Which well-known tools the host's tools are like, so that a matcher `Edit` also fits them. Default: none. */
  readonly tools?: ToolTable
  /** Names of the tools that exist, asked when configuration is loaded. Without it nobody can say that a matcher fits none. */
  knownTools?(): readonly string[]
  readonly ports: HostPorts
  /** What the program around the hooks can do for them. Default: it has neither a model nor sub-agents for them. */
  readonly host?: HookHost
  /**
   * Groups of host variables that every command may see, as the user has chosen. Default: none, so that a command sees the
   * minimal ones and what it declares.
   */
  readonly envPresets?: readonly EnvPreset[]
  /** Functions that are hooks, of the farthest layer; see {@link defineHook}. Default: none. */
  readonly functions?: readonly FunctionHook[]
  /** Folder where a plugin keeps what outlives it: CLAUDE_PLUGIN_DATA. Default: it has none. */
  pluginData?(root: string): string | undefined
  /** Where each run is written down. Default: nowhere. */
  readonly ledger?: LedgerPort
  /** Draws each run as a span. Default: nobody does. */
  readonly tracer?: HookTracer
  /** A hook that fails blocks where it can, unless it says `onFailure` itself. Default false. */
  readonly strict?: boolean
  /**
   * The approvals of the person. A hook of a plugin, project or local file runs only while it is what was approved: that is
   * looked at when it is loaded, and again right before each start. Default: nothing is approved.
   */
  readonly trust?: Trust
  /**
   * Lets such a hook run whatever `trust` says, and whatever its scripts come to hold: for a host that asks in its own way,
   * or for one run. Default: it lets none.
   */
  approved?(entry: Located<HookEntry>): boolean
  /**
   * The same for what a file of a project switches off of others' hooks: `disableAllHooks`, `disabledHooks`, `merge`. Default:
   * with {@link approved} it may, without it what `trust` says counts.
   */
  approvedSwitch?(subject: TrustSubject): boolean
  /** Reads scripts for the managed policy `allowedHookCommands`. Without it no hash in there fits. */
  readonly hash?: HashPort
}

export interface SessionOptions {
  /** Files of the skills that are active, asked at events that hooks of skills listen to. Default: none is. */
  activeSkills?(): readonly string[]
}

/** What the doctor has to know of the program around the hooks. */
export interface DoctorHost {
  /** The events that it fires. Default: all. */
  readonly events?: readonly LifecycleEvent[]
}

export interface FireOptions {
  /** Ends the running hooks; the promise then rejects with its reason. */
  readonly signal?: AbortSignal
  /** The span of the event, below which the runs of hooks are drawn. Read only if there is a tracer and a hook runs. */
  readonly trace?: TraceContext | undefined
}

/** The hooks of one session. */
export interface HookSession {
  /**
   * Tells the hooks that something happens.
   * @param payload called only when a hook listens to the event, or has something to tell from before
   * @returns `undefined` at once when no hook is to run; else the folded answers. What goes wrong with a hook is part
   * of the result; the promise rejects only when `signal` aborts or the hooks are closed.
   * @throws ExtError `hooks.closed` after {@link Hooks.close}
   */
  fire<E extends LifecycleEvent>(
    event: E,
    payload: () => LifecyclePayloads[E],
    options?: FireOptions,
  ): undefined | Promise<EventResult>
  /**
   * Ends the hooks that nobody waits for, as the end of the session does: for a part of a session that has no end of its own,
   * since its conversation was handed over.
   */
  end(): void
  /** Forgets what the session has done: `once` hooks may run again, and refusals of its end are counted anew. */
  reset(): void
}

export interface Hooks {
  /**
   * Hooks of an agent's header count in sessions of its name: `ref.agent.type`.
   * @throws ExtError `hooks.session.id` for an empty id
   */
  session(ref: SessionRef, options?: SessionOptions): HookSession
  readonly snapshot: Snapshot<CompiledHook>
  readonly diagnostics: readonly Diagnostic[]
  /** Every hook that was found, with what has become of it, also those that wait for approval or are broken. */
  list(): readonly ListedHook[]
  /**
   * The files that hooks of FileChanged name, each once, as they are written: to be watched in the folder of the session,
   * where they are not absolute. None of a hook that waits for approval.
   */
  watchedFiles(): readonly string[]
  /** What would run of the hooks that wait for approval: to be shown to a person, and approved with {@link HooksOptions.trust}. */
  unapproved(): readonly TrustSubject[]
  /**
   * Says of every hook of an event whether it would run in the main session, in the project folder, and why. Nothing runs.
   * What sessions have done, such as `once`, is left out.
   */
  explain<E extends LifecycleEvent>(event: E, payload: LifecyclePayloads[E]): readonly ExplainedHook[]
  /** Says of every hook whether it can take effect, and why not. Reads the scripts that hooks start, and runs nothing. */
  doctor(host?: DoctorHost): Promise<DoctorReport>
  /** What the hooks have done since they were created, in all sessions. */
  stats(): HooksStats
  /**
   * Runs one loaded hook for a try, whether or not it fits: nobody else hears of it and nothing is decided.
   * @param id from {@link list}
   * @returns `undefined` if no hook of this id is loaded
   */
  try(id: string, options?: TryOptions): Promise<TriedHook | TryProblem | undefined>
  /**
   * Fires an event for a try, in a session that nobody else hears of: the hooks that fit run and their answers are folded,
   * and nothing is decided. Hooks that wait for approval do not run. What the payload lacks is generated.
   */
  tryEvent(event: LifecycleEvent, options?: TryOptions): Promise<TriedEvent | TryProblem>
  /**
   * Loads other configuration, or the same again. Events that are under way keep the hooks that they started with, and a
   * hook whose file is broken now stays as it was.
   */
  replace(layers: readonly ConfigSource[]): Promise<void>
  /** Ends all running hooks with their children and waits for that. */
  close(): Promise<void>
}
