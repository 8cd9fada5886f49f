import type { Command, Diagnostic } from '../types.js'

/** What a person is asked to agree to. Plain data that an axis makes from the same compiled form that it runs. */
export interface TrustSubject {
  /** The axis: `hooks`, `servers`. */
  readonly kind: string
  /** The name of the entry. Two entries may share one; what they run tells them apart. */
  readonly name: string
  /** Absolute path of the folder that the entry came with: the project, the plugin. */
  readonly root: string
  readonly runs: Runs
}

/** What would run, leave or be believed. All of it is shown and covered, what is absent is neither. */
export interface Runs {
  readonly command?: Command
  /** As it is requested; variables that are put in later stay as they are written. */
  readonly url?: string
  /** Text for a model. */
  readonly prompt?: string
  /**
   * Files whose content decides what runs. Files below the root that an argument vector names are found without this
   * list; those that a shell script names are not.
   */
  readonly scripts?: readonly string[]
  /**
   * Words of which some may name files, such as those of a shell script. Files below the root, or below the folder where
   * it runs, are found through them; words that name no file mean nothing.
   */
  readonly words?: readonly string[]
  /** Where it runs, if that is fixed. Relative paths start at the root. */
  readonly cwd?: string
  /**
   * Where it is about to run, if `cwd` does not say. Neither shown nor covered, but relative scripts and arguments are
   * looked up there: what is another file in another folder was not approved. Default: the root.
   */
  readonly sessionCwd?: string
  /** Variables that are set, with their values as written: `${TOKEN}`, not what it stands for. */
  readonly env?: Readonly<Record<string, string>>
  /** Names of the host's variables that are handed over. */
  readonly passEnv?: readonly string[]
  /** Header name → value as written, which shows the variables in it. */
  readonly headers?: Readonly<Record<string, string>>
  /** Where data goes. */
  readonly host?: string
  /** Which fields of the payload leave. */
  readonly sends?: 'everything' | readonly string[]
  /** Tools, or rules about tools, that are allowed. */
  readonly tools?: readonly string[]
  /** Whether it is believed what the tools say about themselves, for example that one only reads. */
  readonly believesAnnotations?: boolean
  /** Whatever else an axis lets a person decide about: scopes, capabilities, a mode. */
  readonly also?: Readonly<Record<string, string | readonly string[]>>
}

/**
 * One line of what is agreed to. Text that could pass for something else on a screen (control, formatting and invisible
 * characters) is written as `\u{…}`; line breaks and tabs are kept.
 */
export interface Fact {
  /** `runs`, `script ./guard.sh`, `header Authorization`; unique within the terms. */
  readonly field: string
  readonly value: string
}

/** What is agreed to: everything here is shown, and `hash` covers everything that is shown. */
export interface Terms {
  readonly kind: string
  readonly name: string
  /** The real path. */
  readonly root: string
  readonly facts: readonly Fact[]
  /** SHA-256 of all of the above. */
  readonly hash: string
}

/** Why a consent can't be given: nobody can say what would run. */
export interface Problem {
  readonly path: string
  readonly failure: FileFailure
  readonly message: string
}

/** The terms of one subject, as they are right now. Plain data: it may travel to another process and back. */
export interface Consent extends Terms {
  readonly subject: TrustSubject
  readonly problems: readonly Problem[]
}

/** A difference between two terms. Without `before` it is new, without `after` it is gone. */
export interface Change {
  readonly field: string
  readonly before?: string
  readonly after?: string
}

/** A consent that is missing. */
export interface Pending extends Consent {
  /** `changed`: an entry of this name and folder was approved, but something else would run now. */
  readonly reason: 'new' | 'changed'
  /** Against the latest approval; empty when `new`. */
  readonly changes: readonly Change[]
}

/** What a person has agreed to. Long values of facts are kept as their beginning and a hash. */
export interface Approval extends Terms {
  /** ISO 8601. */
  readonly approvedAt: string
  /** Who agreed, if the host says so. */
  readonly by?: string
}

/**
 * - `changed`: something is not as it was shown · `unusable`: nobody can say what would run (see `problems`)
 * - `full`: there is no room left · `not-written`: the store could not be written
 */
export type RefusalReason = 'changed' | 'unusable' | 'full' | 'not-written'

/** A consent that was not recorded. */
export interface Refusal {
  readonly consent: Consent
  readonly reason: RefusalReason
  /** What happened and what to do, for people. */
  readonly message: string
  /** For `changed`: against what was shown. */
  readonly changes: readonly Change[]
}

/** What became of an approval. */
export interface ApproveResult {
  /** Recorded, now or before. */
  readonly approved: readonly Approval[]
  readonly refused: readonly Refusal[]
  /** Approvals of folders that no longer exist, dropped to make room. */
  readonly pruned: readonly Approval[]
}

/** Which approvals: those that fit every field. Without any field, all of them. */
export interface ApprovalSelector {
  readonly root?: string
  readonly kind?: string
  readonly name?: string
  readonly hash?: string
}

/** What became of a revocation. */
export interface RevokeResult {
  readonly revoked: readonly Approval[]
  /** Why approvals that fit could not be taken back. */
  readonly failure?: string
}

/** Approvals as a store has them. */
export interface StoreState {
  /** Oldest first. Empty when the store can't be believed. */
  readonly approvals: readonly Approval[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Where approvals are kept: `nodeTrustStore` of `@ext/kernel/node`, or a host's own. Failures are values. */
export interface TrustStore {
  load(): Promise<StoreState>
  /**
   * Reads, changes and writes in one step that no other process can come between.
   * @param change gets the approvals as they are now and gives those to write, or `undefined` for no change. It may be
   *   called again when somebody else wrote in spite of the lock. `fits` says whether the store has room for a list.
   * @returns the approvals as they are afterwards; with `failure`, nothing was written, and it says why
   */
  update(change: StoreChange): Promise<StoreState & { readonly failure?: Diagnostic }>
}

/** See {@link TrustStore.update}. */
export type StoreChange = (
  current: readonly Approval[],
  fits: (approvals: readonly Approval[]) => boolean,
) => readonly Approval[] | undefined

/** Why a file has no hash. */
export type FileFailure = 'missing' | 'folder' | 'not-a-file' | 'unreadable' | 'too-large'

/** A file's identity, or why it has none. */
export type HashedFile =
  | { readonly sha256: string; readonly realPath: string; readonly failure?: undefined }
  | { readonly failure: FileFailure; readonly message: string }

/**
 * What approvals need of the machine. Synchronous, so that a check and the start that depends on it can be one step.
 * Never throws.
 */
export interface HashPort {
  /** SHA-256 of the UTF-8 form of a well-formed text, in lower-case hexadecimal digits. */
  sha256(text: string): string
  /** Hashes the content of a file, links followed. */
  file(path: string): HashedFile
  /** The path with all links resolved; `undefined` when it does not exist or can't be reached. */
  realPath(path: string): string | undefined
}
