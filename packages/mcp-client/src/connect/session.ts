import type { JsonObject, ToolProgress } from '@ext/kernel/contract'
import type { ClockPort, ProcessPort } from '@ext/kernel/types'
import type { CancelSignal } from '../cancel.js'
import type { Endpoint } from '../compiled.js'
import type { Eras } from './eras.js'

/**
 * One session with one server: the only way from here to the protocol, so that no type of an SDK gets further than this
 * folder. It knows no deadline: signals carry the caller's. All that rejects, rejects with a {@link Fault}.
 */
export interface Session {
  /**
   * Connects and shakes hands, once. When it rejects, nothing of the attempt is left running after `close`.
   * @param signal of the attempt only: what happens to it later does nothing to the session
   */
  open(signal: CancelSignal): Promise<Greeting>
  /** One page, as the server sent it; nothing about it is checked. */
  list(what: 'tools', cursor: string | undefined, signal: CancelSignal): Promise<unknown>
  /** The result of `tools/call`, as the server sent it. An abort tells the server, with a fixed reason, and rejects at once. */
  call(tool: string, input: JsonObject, options: SessionCallOptions): Promise<unknown>
  ping(signal: CancelSignal): Promise<void>
  /**
   * Ends it, half-open too. Resolves once nothing of the server is left. Idempotent; a later call with less patience
   * hurries the first.
   */
  close(patience?: Patience): Promise<void>
  /** Resolves when the session is over, whoever ended it. Over HTTP that is also when the server no longer knows it. */
  readonly closed: Promise<void>
  /** What was seen of the server besides its answers. Read at any time. */
  readonly seen: Seen
  /** Whether arguments of calls are also sent as headers, where a tool asks for it (`x-mcp-header`). */
  readonly mirrors: boolean
}

export interface SessionCallOptions {
  readonly signal: CancelSignal
  /** Also asks the server for progress. */
  readonly onProgress?: (progress: ToolProgress) => void
}

/** How the server introduced itself. */
export interface Greeting {
  readonly name: string
  readonly version: string
  readonly protocolVersion: string
  readonly capabilities: { readonly tools: boolean; readonly toolsChange: boolean }
  readonly instructions?: string
}

/** How long an ending may take, in milliseconds. */
export interface Patience {
  /** After stdin was closed. */
  readonly waitMs: number
  /** Between TERM and KILL. */
  readonly graceMs: number
}

/** Starts a session; nothing is awaited before `open`. */
export type Connect = (endpoint: Endpoint, host: SessionHost) => Session

/** What a session gets from its host. */
export interface SessionHost {
  readonly process: ProcessPort
  readonly clock: ClockPort
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  readonly clientInfo: { readonly name: string; readonly version: string }
  /** Longest message that is taken, in bytes. */
  readonly maxMessageBytes: number
  /** What is known of servers over HTTP from before. */
  readonly eras: Eras
  /** Masks secrets in what the server writes. */
  readonly mask: (text: string) => string
  /** Hears all of stderr, line by line, masked and without control characters. */
  readonly onLog?: (line: string) => void
  /** `notifications/tools/list_changed` came. */
  readonly onToolsChanged?: () => void
}

/** What was seen of a server. */
export interface Seen {
  /** How it ended, as the rest of a sentence: `exited with code 3`. */
  readonly end?: string
  /** It never ran at all. */
  readonly notStarted: boolean
  /** The end of what it wrote to stderr, masked and without control characters. */
  readonly stderrTail: string
  /** Lines on stdout that were no messages, and the first of them. */
  readonly junk: { readonly lines: number; readonly first: string }
  /** Messages that were dropped for their size. */
  readonly tooLarge: number
  /** Over HTTP: why the stream on which the server speaks first could not be had. */
  readonly deaf?: string
}

/**
 * What a request died of.
 * - `network`: the connection is not there, or broke · `protocol`: an answer that is not MCP · `remote`: the server says no
 */
export type FaultKind = 'network' | 'protocol' | 'remote'

/** Why a request got no result. The message is the rest of a sentence about the server: `exited with code 3`. */
export class Fault extends Error {
  readonly kind: FaultKind
  /** Whether the server may have done what was asked. `none`: it surely did not, so the request can be sent again. */
  readonly effect: 'none' | 'unknown'
  /** Another attempt to connect can't help: the program does not exist, the address is wrong, credentials are missing. */
  readonly final: boolean
  /** The server wants credentials. */
  readonly needsAuth: boolean
  /** What the person can do about it. */
  readonly hint: string | undefined
  /** Of JSON-RPC, if the server refused with one. */
  readonly code: number | undefined

  constructor(
    kind: FaultKind,
    message: string,
    options: ErrorOptions & {
      readonly effect?: 'none' | 'unknown'
      readonly final?: boolean
      readonly needsAuth?: boolean
      readonly hint?: string
      readonly code?: number
    } = {},
  ) {
    super(message, options)
    this.name = 'Fault'
    this.kind = kind
    this.effect = options.effect ?? 'unknown'
    this.final = options.final ?? false
    this.needsAuth = options.needsAuth ?? false
    this.hint = options.hint
    this.code = options.code
  }
}
