import type { SessionRef, TraceContext } from '@ext/kernel/contract'

/** For whom a server is asked something. */
export interface Caller {
  /** Below which span it stands. The server is told: `traceparent` in `_meta` (SEP-414 of MCP). Default: it is told none. */
  readonly trace?: TraceContext | undefined
  /** Whose call it is, so that whoever answers what the server asks meanwhile knows it. */
  readonly session?: SessionRef | undefined
}
