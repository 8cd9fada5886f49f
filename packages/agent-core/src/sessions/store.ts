import type { PermissionMode } from '@ext/kernel/contract'
import type { Diagnostic } from '@ext/kernel/types'
import type { ParentOfLog, SessionEvent, SessionHeader } from './log.js'

/**
 * Keeps the logs of sessions. What can't be done rejects with an error whose code is one of those below; for a session that
 * is under way it is said once, and the session goes on without being kept.
 *
 * - `agent-core.session.unknown`: there is no log of this id
 * - `agent-core.session.taken`: there is one already
 * - `agent-core.session.locked`: somebody else works on it
 * - `agent-core.session.version`: a newer version wrote it; it is left untouched
 * - `agent-core.session.unreadable`: nothing of it can be used
 */
export interface SessionStore {
  /** Where the log of a session of this folder is or will be, for people and hooks. Absent: in no file. */
  place?(id: string, cwd: string): string
  /** Begins the log of a new session, for this process alone. */
  create(header: SessionHeader): Promise<SessionWriter>
  /** Takes up the log of a session, for this process alone. */
  open(id: string): Promise<KeptSession & { readonly writer: SessionWriter }>
  /** Reads the log of a session, whoever works on it. Changes nothing. */
  read(id: string): Promise<KeptSession>
  /** The sessions of a folder, or of all, the newest first. */
  list(query?: SessionQuery): Promise<readonly SessionSummary[]>
  /** Sessions in which somebody said a text, in whatever case, the newest first. */
  search(text: string, query?: SessionQuery): Promise<readonly SessionMatch[]>
}

/** A session as it was kept, as far as it can be used. */
export interface KeptSession {
  readonly header: SessionHeader
  readonly events: readonly SessionEvent[]
  /** What was left out, and why. */
  readonly diagnostics: readonly Diagnostic[]
  readonly place?: string
}

/** Writes the log of one session. */
export interface SessionWriter {
  /**
   * Puts events behind the log, all or none. A store that needs time gives a promise; a tool is not started before it has
   * settled. Not called any more once it has failed.
   */
  append(events: readonly SessionEvent[]): void | Promise<void>
  /** Settles when everything that was appended survives the machine. */
  sync(): Promise<void>
  /** Lets others work on it. Never rejects. */
  close(): Promise<void>
}

export interface SessionQuery {
  /** Default: all folders. */
  readonly cwd?: string
  /** Also the logs of sub-agents. Default false. */
  readonly subAgents?: boolean
  /** Default 50. */
  readonly limit?: number
}

/** What is to be said about a session in a list. */
export interface SessionSummary {
  readonly id: string
  readonly cwd: string
  readonly permissionMode: PermissionMode
  /** Id of the session that it began as a copy of. */
  readonly from?: string
  /** It is the log of a sub-agent. */
  readonly parent?: ParentOfLog
  /** ISO 8601. */
  readonly startedAt: string
  readonly updatedAt: string
  /** Its first prompt, cut. Empty when it has none yet. */
  readonly title: string
  readonly prompts: number
  /** Model calls. */
  readonly turns: number
  readonly bytes: number
  readonly place?: string
  /** Why it can't be resumed. */
  readonly problem?: string
}

export interface SessionMatch {
  readonly session: SessionSummary
  /** Where the text is, with what stands around it. */
  readonly excerpt: string
  /** Events that hold the text. */
  readonly count: number
}
