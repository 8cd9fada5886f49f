/**
 * Types of the permission engine (`@ext/permission/types`). Type-only.
 * @module
 */
import type { ConfigSource, Diagnostic, HostPorts, Located, Snapshot } from '@ext/kernel'
import type {
  Authorization,
  AuthorizeRequest,
  Decision,
  Opinion,
  PermissionMode,
  SessionRef,
  ToolCall,
  ToolInfo,
  ToolTable,
} from '@ext/kernel/contract'
import type { CompiledEntry, PermissionEntry } from './config/entry.js'

export type { CompiledEntry, PermissionEntry } from './config/entry.js'

export interface PermissionOptions {
  /** Sources of the dialects `ext` and `claude-settings`, in any order. */
  readonly layers: readonly ConfigSource[]
  /** Which tools of the host are like which of the rule language. Default: tools are what their names say. */
  readonly tools?: ToolTable
  /** Absolute. Rules of values that came from no file start here; sessions bring their own working folder. */
  readonly cwd: string
  readonly ports: Pick<HostPorts, 'files' | 'clock' | 'home' | 'platform'>
  /**
   * Whether a person has approved an allow rule or a mode of a plugin, project or local file. Default: nobody has
   * approved anything. Deny and ask rules need nobody's approval.
   */
  readonly approved?: (entry: Located<PermissionEntry>) => boolean
  /** Who answers. Without it, whatever would have to be asked is denied. */
  readonly user?: UserPort
  /** How long a question stays open, in milliseconds. Default 300,000. Then the answer is no. */
  readonly askTimeoutMs?: number
}

export interface Permission {
  /** The view of one session: its working folder and its mode. */
  session(ref: SessionRef): PermissionSession
  readonly snapshot: Snapshot<CompiledEntry>
  readonly diagnostics: readonly Diagnostic[]
  /** The mode that configuration wants new sessions to have; `default` if it says nothing. The host applies it. */
  readonly defaultMode: PermissionMode
  /**
   * Loads other layers, or the same again, and swaps the rules in one step; sessions use them from their next decision on.
   * Of several calls under way the last one counts. A rule whose file is broken now stays as it was. Rejects, and changes
   * nothing, when a source names an unknown dialect.
   */
  replace(layers: readonly ConfigSource[]): Promise<void>
}

export interface PermissionSession {
  /** What would happen to a call, by text alone: links are not followed. Pure and synchronous; never throws. */
  decide(request: AuthorizeRequest, opinion?: Opinion): Decision
  /**
   * Decides, with links followed, and asks the user if that is the decision. Rejects only when `signal` aborts, with
   * its reason.
   */
  authorize(request: AuthorizeRequest, options?: AuthorizeOptions): Promise<Authorization>
}

export interface AuthorizeOptions {
  /** What a hook thinks of the call. */
  readonly opinion?: Opinion
  readonly signal?: AbortSignal
}

/** A person, however the host reaches them. */
export interface UserPort {
  /**
   * Shows the question and resolves with the answer. `signal` aborts once the answer no longer matters. A port that
   * throws or answers something else has said no.
   */
  ask(question: Question, options: { readonly signal: AbortSignal }): Promise<UserAnswer>
}

export interface Question {
  readonly call: ToolCall
  readonly tool: ToolInfo
  readonly decision: Decision
  readonly session: SessionRef
}

export interface UserAnswer {
  readonly behavior: 'allow' | 'deny'
  readonly reason?: string
}
