/**
 * Types of `@ext/hooks` (`@ext/hooks/types`); importing them costs nothing at run time.
 * @module
 */
import type { ConfigSource, Diagnostic, HostPorts, Located, Snapshot } from '@ext/kernel'
import type { EventResult, LifecycleEvent, LifecyclePayloads, SessionRef, ToolTable } from '@ext/kernel/contract'
import type { EnvPreset } from '@ext/kernel/env'
import type { CompiledHook } from './compile.js'
import type { HookEntry } from './config/entry.js'
import type { FunctionHook } from './function.js'
import type { HookHost } from './host.js'
import type { ListedHook } from './list.js'
import type { TriedHook, TryOptions, TryProblem } from './try-hook.js'

export type { LifecycleEvent, Payload } from '@ext/kernel/contract'
export type { Matcher } from '@ext/kernel/match'
export type { CompiledHook } from './compile.js'
export type { Action, AgentAction, CommandAction, FunctionAction, HttpAction, PromptAction } from './config/actions.js'
export type { HookDialect, HookEntry, StdoutTarget } from './config/entry.js'
export type { EventName } from './event-names.js'
export type { BlockTier, EventRow, OutputField } from './events.js'
export type { FunctionContext, FunctionHook, FunctionOptions, FunctionReply, HookFunction } from './function.js'
export type { HookReply, OwnOutput } from './hook-reply.js'
export type { HookHost, HookModel, HookModelEvent } from './host.js'
export type { ListedHook } from './list.js'
export type { Condition } from './match/condition.js'
export type { Replies } from './replies.js'
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
  /** A hook that fails blocks where it can, unless it says `onFailure` itself. Default false. */
  readonly strict?: boolean
  /** Whether a person has approved a hook of a plugin, project or local file. Default: nobody has. */
  approved?(entry: Located<HookEntry>): boolean
}

export interface SessionOptions {
  /** Files of the skills that are active, asked at events that hooks of skills listen to. Default: none is. */
  activeSkills?(): readonly string[]
}

export interface FireOptions {
  /** Ends the running hooks; the promise then rejects with its reason. */
  readonly signal?: AbortSignal
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
   * Runs one loaded hook for a try, whether or not it fits: nobody else hears of it and nothing is decided.
   * @param id from {@link list}
   * @returns `undefined` if no hook of this id is loaded
   */
  try(id: string, options?: TryOptions): Promise<TriedHook | TryProblem | undefined>
  /**
   * Loads other configuration, or the same again. Events that are under way keep the hooks that they started with, and a
   * hook whose file is broken now stays as it was.
   */
  replace(layers: readonly ConfigSource[]): Promise<void>
  /** Ends all running hooks with their children and waits for that. */
  close(): Promise<void>
}
