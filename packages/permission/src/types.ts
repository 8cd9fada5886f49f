/**
 * Types of the permission engine (`@ext/permission/types`). Type-only.
 * @module
 */
import type { ConfigSource, Diagnostic, EditFilesPort, HostPorts, Located, Snapshot, Source } from '@ext/kernel'
import type {
  Authorization,
  AuthorizeRequest,
  Contender,
  Decision,
  AuthorizeOptions as GateOptions,
  Opinion,
  PermissionAnswer,
  PermissionMode,
  PermissionQuestion,
  SessionRef,
  ToolCall,
  ToolTable,
} from '@ext/kernel/contract'
import type { CompiledEntry, PermissionEntry } from './config/entry.js'
import type { Explanation } from './decide/explain.js'
import type { SuggestedRule } from './decide/suggest.js'
import type { ProgramTable, ShellContext } from './shell/index.js'

export type { CompiledEntry, PermissionEntry, RuleTests, WrittenRule } from './config/entry.js'
export type { ExplainedUnit, Explanation } from './decide/explain.js'
export type { SuggestedRule } from './decide/suggest.js'

export interface PermissionOptions extends AskSettings {
  /** Sources of the dialects `ext` and `claude-settings`, in any order. */
  readonly layers: readonly ConfigSource[]
  /** Which tools of the host are like which of the rule language. Default: tools are what their names say. */
  readonly tools?: ToolTable
  /** Absolute. Rules of values that came from no file start here; sessions bring their own working folder. */
  readonly cwd: string
  readonly ports: Pick<HostPorts, 'files' | 'clock' | 'home' | 'platform'>
  /**
   * Whether a person has approved an entry of a plugin, project or local file that makes something looser: an allow
   * rule, a mode, a further folder. Default: nobody has approved anything. What makes things stricter needs no approval.
   */
  readonly approved?: (entry: Located<PermissionEntry>) => boolean
  /** What the command tools run their lines with. Default `bash`. */
  readonly shell?: ShellContext['shell']
  /** What is known of programs. Default: the table that comes with the package. */
  readonly programs?: ProgramTable
  /**
   * Command lines of which everything only reads run without a rule, and so do tools of kind `read` whose paths all lie in
   * the workspace. Configuration that says `readOnlyCommands` has the
   * last word. Default false.
   */
  readonly readOnlyCommands?: boolean
  /** Where rules go that are to outlive a session. Without it they can only be remembered for the session. */
  readonly rememberIn?: RememberFiles
}

/** How questions are asked. */
export interface AskSettings {
  /** A person. Without one, and without another contender, whatever would have to be asked is denied. */
  readonly user?: UserPort
  /** A program that answers questions for a person, such as a model. It may not answer what only a person may. */
  readonly classifier?: ClassifierPort
  /** How long a question stays open, in milliseconds. Default 300,000. Then the answer is no. */
  readonly askTimeoutMs?: number
  /** The same in a sub-agent, whose run waits for it. Default 5,000. */
  readonly agentAskTimeoutMs?: number
  /** A person's answer that comes sooner is held back until then, in milliseconds. Default 200. */
  readonly graceMs?: number
  /** Keeps a question visible that a program has answered with yes. Default: it is taken away at once. */
  readonly keepVisible?: KeepVisible
  /** Whether the rules that come with a program's answer may be remembered. Default: only a person's are. */
  readonly mayRemember?: (contender: Contender) => boolean
}

/** For how long a person still sees a question that was answered for them, so that they know what happened. */
export interface KeepVisible {
  /** Whether the person is looking. */
  hasFocus(): boolean
  /** Milliseconds. Default 3,000. */
  readonly focusedMs?: number
  /** Milliseconds. Default 1,000. */
  readonly unfocusedMs?: number
}

/** YAML files of the dialect `ext`, as absolute paths, and what changes them. */
export interface RememberFiles {
  /** Of the project, not committed. */
  readonly local?: string
  readonly user?: string
  readonly files: EditFilesPort
}

export interface Permission {
  /**
   * A session with its working folder, its mode and what it remembers, which is nothing unless it `continues` another one.
   * Throws `permission.session.other` if that is not the same session.
   */
  session(ref: SessionRef, options?: PermissionSessionOptions): PermissionSession
  readonly snapshot: Snapshot<CompiledEntry>
  readonly diagnostics: readonly Diagnostic[]
  /** The mode that configuration wants new sessions to have; `default` if it says nothing. The host applies it. */
  readonly defaultMode: PermissionMode
  /** Where configuration says that no session may be in the mode `bypassPermissions`: such a one is in `default`. */
  readonly bypassOff: Source | undefined
  /**
   * Loads other layers, or the same again, and swaps the rules in one step; sessions use them from their next decision on.
   * Of several calls under way the last one counts. A rule whose file is broken now stays as it was. Rejects, and changes
   * nothing, when a source names an unknown dialect.
   */
  replace(layers: readonly ConfigSource[]): Promise<void>
}

export interface PermissionSessionOptions {
  /**
   * The object of this engine that the same session had before, as where a host makes its agent anew: what counts there now
   * is remembered here as well, with its ends. The same are id, working folder, origin, user and agent; the mode is that of
   * the new one. Default: nothing is remembered yet.
   */
  readonly continues?: PermissionSession
}

export interface PermissionSession {
  /** In which it decides now. */
  readonly mode: PermissionMode
  setMode(mode: PermissionMode): void
  /**
   * The allow rules that it remembers and that count now, in the order in which they came; also those that were written to a
   * file as well. Empty where only managed rules count.
   */
  readonly remembered: readonly RememberedRule[]
  /** What would happen to a call, by text alone: links are not followed. Pure and synchronous; never throws. */
  decide(request: AuthorizeRequest, opinion?: Opinion): Decision
  /**
   * Decides, with links followed, and asks everybody who may answer if that is the decision. Rejects only when `signal`
   * aborts, with its reason.
   */
  authorize(request: AuthorizeRequest, options?: AuthorizeOptions): Promise<Authorization>
  /**
   * Why a call would be decided as it would, with links followed. Nothing is asked and nothing runs. Rejects with
   * `permission.port.failed` when the files of the host fail, and so does {@link remember}.
   */
  explain(request: AuthorizeRequest, opinion?: Opinion): Promise<Explanation>
  /** Remembers a call that a person has allowed, as the narrowest rules that would have allowed it. */
  remember(request: AuthorizeRequest, options: RememberOptions): Promise<Remembered>
}

/** How a call is to be authorized. */
export interface AuthorizeOptions extends GateOptions {
  /** False: no person is asked, here and now. Default true. */
  readonly interactive?: boolean
  /** Instead of the engine's. Milliseconds. */
  readonly timeoutMs?: number
  /** Instead of the engine's. Milliseconds. */
  readonly graceMs?: number
}

export interface RememberOptions {
  /**
   * - `once`: nothing is remembered, the yes was for one call · `session`: as long as the session lives
   * - `local`, `user`: also written to the file of {@link RememberFiles}
   */
  readonly scope: 'once' | 'session' | 'local' | 'user'
  /** Milliseconds since the epoch: from then on the rules allow nothing. Default: never. */
  readonly expiresAt?: number
}

/** A rule that a session remembers, and how it came about. */
export interface RememberedRule extends SuggestedRule {
  /** Who said yes: the name of a contender, `user` for the host's own person. */
  readonly by: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** What was asked about. */
  readonly call: ToolCall
  /** Milliseconds since the epoch: from then on it allows nothing. */
  readonly expiresAt?: number
}

/** What was remembered. */
export interface Remembered {
  /** One for each command, file or host. Empty when no rule can allow the call, and with `once`. */
  readonly rules: readonly string[]
  /** The file that they were written to. */
  readonly file?: string
  /** Why they could not be written; they then hold for the session alone. */
  readonly diagnostics: readonly Diagnostic[]
}

/** A person, however the host reaches them. */
export interface UserPort {
  /**
   * Shows the question and resolves with the answer. `signal` aborts once the answer no longer matters. A port that
   * throws or answers something else has no opinion.
   */
  ask(question: PermissionQuestion, options: { readonly signal: AbortSignal }): Promise<PermissionAnswer>
}

/** A program that answers for a person. */
export interface ClassifierPort {
  /** Resolves with `undefined` for no opinion. */
  classify(
    question: PermissionQuestion,
    options: { readonly signal: AbortSignal },
  ): Promise<PermissionAnswer | undefined>
}
