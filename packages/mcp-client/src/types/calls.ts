import type { ToolCallFacts, ToolProgress } from '@ext/kernel/contract'
import type { Caller } from '../caller.js'

/**
 * What went wrong, in `meta` of a result with `isError`.
 * - `network`: the connection is not there · `protocol`: an answer that is not MCP · `timeout`: none in time
 * - `remote`: the server says that it failed · `aborted`: the client was closed
 * - `limited`: too many calls, or too many failures just before
 */
export type FailureKind = 'network' | 'protocol' | 'timeout' | 'remote' | 'aborted' | 'limited'

/** What there is to say about one call once it is over, however it ended. */
export interface CallFacts extends ToolCallFacts {
  /** Absent for a tool that no server has. */
  readonly server?: string
  /** What the server calls the tool; absent if that is not known. */
  readonly tool?: string
  /** What it was called here. */
  readonly name: string
  /** `aborted` also for a call whose signal aborted. */
  readonly kind?: FailureKind
}

export interface CallOptions extends Caller {
  readonly signal?: AbortSignal
  /** Hears how far the server is. */
  readonly onProgress?: (progress: ToolProgress) => void
}
