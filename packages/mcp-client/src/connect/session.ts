import type { JsonObject, ToolProgress } from '@ext/kernel/contract'
import type { ClockPort, ProcessPort } from '@ext/kernel/types'
import type { Caller } from '../caller.js'
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
  /**
   * One page, as the server sent it; nothing about it is checked. An empty one from a server that says it has nothing of
   * the kind.
   */
  list(what: ListKind, cursor: string | undefined, signal: CancelSignal): Promise<unknown>
  /** The result of `tools/call`, as the server sent it. An abort tells the server, with a fixed reason, and rejects at once. */
  call(tool: string, input: JsonObject, options: SessionCallOptions): Promise<unknown>
  /** The result of another request, as the server sent it. An abort acts as it does on a call. */
  ask(what: OfferRequest, params: JsonObject, options: SessionCallOptions): Promise<unknown>
  /** Tells the server that the roots are different. Nothing is waited for, and nothing comes of it if it is gone. */
  rootsChanged(): void
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

export interface SessionCallOptions extends Caller {
  readonly signal: CancelSignal
  /** Also asks the server for progress. */
  readonly onProgress?: (progress: ToolProgress) => void
  /**
   * The server asks something that may take a person or a model, while it works on this. What is returned is called when
   * it has its answer. Where nobody can tell which request a question belongs to, every open one hears of it.
   */
  readonly onAsked?: () => () => void
  /** Hears by which id it is asked, each time that it is. */
  readonly onId?: (id: number | string) => void
}

/** What servers list in pages, by the name that a page has it under. */
export type ListKind = 'tools' | 'resources' | 'resourceTemplates' | 'prompts'

/** What else a server can be asked. */
export type OfferRequest =
  | 'resources/read'
  | 'resources/subscribe'
  | 'resources/unsubscribe'
  | 'prompts/get'
  | 'completion/complete'
  | 'logging/setLevel'

/** How the server introduced itself. */
export interface Greeting {
  readonly name: string
  readonly version: string
  readonly protocolVersion: string
  readonly capabilities: ServerCapabilities
  readonly instructions?: string
}

/** What a server says that it has. */
export interface ServerCapabilities {
  readonly tools: boolean
  /** It announces other tools. */
  readonly toolsChange: boolean
  readonly resources: boolean
  readonly resourcesChange: boolean
  /** It tells when a resource changes, if it is asked to. */
  readonly subscribe: boolean
  readonly prompts: boolean
  readonly promptsChange: boolean
  readonly logging: boolean
  readonly completions: boolean
}

/** What a server tells unasked, besides progress. Every field is of the type that it says; texts are as they were sent. */
export type ServerNotice =
  | { readonly type: 'changed'; readonly what: 'tools' | 'resources' | 'prompts' }
  | { readonly type: 'updated'; readonly uri: string }
  | { readonly type: 'log'; readonly level: string; readonly logger?: string; readonly data: unknown }
  /** What a person was sent to a page for is done there. */
  | { readonly type: 'elicited'; readonly id: string }

/** What this side can be asked, as MCP 2025-11-25 has it; what is absent is not announced. */
export interface ClientCapabilities {
  readonly roots?: { readonly listChanged: true }
  readonly sampling?: { readonly tools?: Readonly<Record<string, never>> }
  readonly elicitation?: {
    readonly form?: Readonly<Record<string, never>>
    readonly url?: Readonly<Record<string, never>>
  }
}

/** Answers what a server asks. */
export interface Answering {
  readonly capabilities: ClientCapabilities
  /**
   * @param options.signal aborts when the server does not want the answer any more, or is gone
   * @param options.session whose call it belongs to, if that is known
   * @throws RpcError what the server is told instead; any other throw is told as a fault in here, without its message
   */
  answer(
    method: string,
    params: unknown,
    options: { readonly signal: AbortSignal } & Pick<Caller, 'session'>,
  ): Promise<JsonObject>
}

/** Why a question of a server gets no result. The message goes to the server. */
export class RpcError extends Error {
  /** Of JSON-RPC and MCP. */
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'RpcError'
    this.code = code
  }
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
  readonly onNotice?: (notice: ServerNotice) => void
  /** Default: a server that asks is told that it can't. */
  readonly answering?: Answering
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
  /** The error of JSON-RPC by which the server said no, with what it sent along. */
  readonly refusal: { readonly code: number; readonly data: unknown } | undefined

  constructor(
    kind: FaultKind,
    message: string,
    options: ErrorOptions & {
      readonly effect?: 'none' | 'unknown'
      readonly final?: boolean
      readonly needsAuth?: boolean
      readonly hint?: string
      readonly refusal?: { readonly code: number; readonly data: unknown }
    } = {},
  ) {
    super(message, options)
    this.name = 'Fault'
    this.kind = kind
    this.effect = options.effect ?? 'unknown'
    this.final = options.final ?? false
    this.needsAuth = options.needsAuth ?? false
    this.hint = options.hint
    this.refusal = options.refusal
  }
}
