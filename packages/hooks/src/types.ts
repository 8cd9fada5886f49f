/**
 * Types of `@ext/hooks` (`@ext/hooks/types`); importing them costs nothing at run time.
 * @module
 */
import type { ConfigSource, Diagnostic, HostPorts, Located, Snapshot } from '@ext/kernel'
import type { EventResult, LifecycleEvent, LifecyclePayloads, SessionRef, ToolTable } from '@ext/kernel/contract'
import type { CompiledHook } from './compile.js'
import type { HookEntry } from './config/entry.js'

export type { Matcher } from '@ext/kernel/match'
export type { CompiledHook } from './compile.js'
export type { Action, CommandAction, HookDialect, HookEntry, StdoutTarget } from './config/entry.js'
export type { EventName } from './event-names.js'
export type { BlockTier, EventRow, OutputField } from './events.js'
export type { Condition } from './match/condition.js'

export interface HooksOptions {
  /** Files and values of the dialects `ext` (section `hooks`) and `claude-settings` (top-level `hooks`). */
  readonly layers: readonly ConfigSource[]
  /** Absolute path of the project folder: HOOK_PROJECT_DIR, and CLAUDE_PROJECT_DIR for Claude-format files. */
  readonly root: string
  /** Which well-known tools the host's tools are like, so that a matcher `Edit` also fits them. Default: none. */
  readonly tools?: ToolTable
  /** Names of the tools that exist, asked when configuration is loaded. Without it nobody can say that a matcher fits none. */
  knownTools?(): readonly string[]
  readonly ports: HostPorts
  /** Whether a person has approved a hook of a plugin, project or local file. Default: nobody has. */
  approved?(entry: Located<HookEntry>): boolean
}

export interface FireOptions {
  /** Ends the running hooks; the promise then rejects with its reason. */
  readonly signal?: AbortSignal
}

/** The hooks of one session. */
export interface HookSession {
  /**
   * Tells the hooks that something happens.
   * @param payload called only when a hook listens to the event
   * @returns `undefined` at once when no hook is to run; else the folded answers. What goes wrong with a hook is part
   * of the result; the promise rejects only when `signal` aborts or the hooks are closed.
   * @throws ExtError `hooks.closed` after {@link Hooks.close}
   */
  fire<E extends LifecycleEvent>(
    event: E,
    payload: () => LifecyclePayloads[E],
    options?: FireOptions,
  ): undefined | Promise<EventResult>
  /** Forgets what the session has done: `once` hooks may run again. */
  reset(): void
}

export interface Hooks {
  session(ref: SessionRef): HookSession
  readonly snapshot: Snapshot<CompiledHook>
  readonly diagnostics: readonly Diagnostic[]
  /**
   * Loads other configuration, or the same again. Events that are under way keep the hooks that they started with, and a
   * hook whose file is broken now stays as it was.
   */
  replace(layers: readonly ConfigSource[]): Promise<void>
  /** Ends all running hooks with their children and waits for that. */
  close(): Promise<void>
}
