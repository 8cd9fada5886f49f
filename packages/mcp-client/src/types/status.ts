import type { Source } from '@ext/kernel/types'

/**
 * - `untrusted`: waits for the consent of a person · `disabled`: configuration switched it off
 * - `idle`: its tools are known from before; it starts with the first call of one
 * - `connecting`: an attempt is under way · `ready` · `degraded`: connected, but it does not answer pings or calls fail
 *   again and again · `needs_auth`: it wants credentials
 * - `failed`: it is down; `retryAt` says whether it is tried again · `closed`: by `close()`, or its entry is gone
 */
export type ServerState =
  | 'untrusted'
  | 'disabled'
  | 'idle'
  | 'connecting'
  | 'ready'
  | 'degraded'
  | 'needs_auth'
  | 'failed'
  | 'closed'

export interface ServerStatus {
  readonly name: string
  readonly state: ServerState
  /** When it entered this state, in milliseconds since the epoch. */
  readonly since: number
  /** Why it is not ready, as the rest of a sentence. */
  readonly cause?: string
  /** What can be done about it. */
  readonly hint?: string
  /** When it is tried again, in milliseconds since the epoch. */
  readonly retryAt?: number
  /** How long the last attempt to connect took, in milliseconds, whatever came of it. Absent before the first has ended. */
  readonly connectMs?: number
  /** How many of its tools are offered. */
  readonly tools: number
  /** How many wait for a person, because they have changed since they were approved. */
  readonly held: number
  /** How many of those that are offered have a form of their own for the models of `provider`. */
  readonly adapted: number
  /** The tools that were called since the client was made, sorted by name. */
  readonly used: readonly ToolUse[]
  /** How it introduced itself. */
  readonly server?: { readonly name: string; readonly version: string; readonly protocolVersion: string }
  /** Calls under way and calls that wait for their turn. */
  readonly calls: { readonly running: number; readonly waiting: number }
  /** The entry. */
  readonly source: Source
  /** The last 4 KiB that it wrote to stderr, masked and without control characters. */
  readonly stderrTail?: string
}

/** How often a tool was called. Calls that were aborted count for nothing. */
export interface ToolUse {
  /** What the server calls it. */
  readonly tool: string
  readonly calls: number
  /** Those whose result is no error. */
  readonly succeeded: number
}

/** Names of servers. Untrusted and disabled ones are in none of the lists. */
export interface ReadyReport {
  readonly ready: readonly string[]
  /** Still connecting for the first time; they join through `onChange`. */
  readonly late: readonly string[]
  readonly failed: readonly string[]
  /** Not started, since their tools are known; they start with the first call. Absent if there are none. */
  readonly idle?: readonly string[]
}
