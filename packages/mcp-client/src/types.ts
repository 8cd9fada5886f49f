/**
 * Types of the MCP client. Type-only entry (`@ext/mcp-client/types`); importing it costs nothing at run time.
 * @module
 */
import type {
  JsonObject,
  JsonValue,
  SessionRef,
  Tool,
  ToolCallFacts,
  ToolProgress,
  ToolResult,
  TraceContext,
} from '@ext/kernel/contract'
import type { HashPort } from '@ext/kernel/trust'
import type { ConfigSource, Diagnostic, HostPorts, Located, Snapshot, Source } from '@ext/kernel/types'
import type { AskingLimits, ElicitationPort, LogLevel, SamplingPort } from './asked.js'
import type { Caller } from './caller.js'
import type { CompiledServer } from './compiled.js'
import type { Breaker, KeepAlive, Rate, Reconnect, ServerEntry } from './config/entry.js'
import type { Prompts, Resources } from './offered.js'
import type { Provider } from './profiles/adapted.js'

export type { ElicitationHooks, HookedElicitation } from './answer/hooked.js'
export type {
  AskedBy,
  AskingLimits,
  ElicitationAnswer,
  ElicitationPort,
  FormAnswer,
  FormField,
  FormFieldBase,
  FormOption,
  FormRequest,
  FormValue,
  LogLevel,
  PageRequest,
  SamplingAnswer,
  SamplingContent,
  SamplingMessage,
  SamplingPort,
  SamplingRefusal,
  SamplingRequest,
} from './asked.js'
export type { Caller } from './caller.js'
export type { CompiledServer, Endpoint, Launch, Remote, ServerLimits } from './compiled.js'
export type {
  Breaker,
  EntryLimits,
  EntryTimeouts,
  HttpEntry,
  KeepAlive,
  PerTool,
  Protocol,
  Rate,
  Reconnect,
  ServerEntry,
  StdioEntry,
  ToolRules,
} from './config/entry.js'
export type {
  Completion,
  Offered,
  OfferOptions,
  PromptArgument,
  PromptInfo,
  PromptResult,
  Prompts,
  ResourceInfo,
  ResourceSubscription,
  Resources,
  ResourceTemplateInfo,
} from './offered.js'
export type { Provider } from './profiles/adapted.js'

/** What reading the configuration needs. */
export interface ServerConfigOptions {
  /**
   * Where servers are configured. Dialects: `ext` (section `mcpServers` of a YAML or JSON document) and `claude-mcp`
   * (`.mcp.json`).
   */
  readonly layers: readonly ConfigSource[]
  /** Absolute. Servers run here; relative commands and folders of entries start here. */
  readonly cwd: string
  readonly ports: Pick<HostPorts, 'files' | 'env' | 'platform'>
  /**
   * Whether a person has agreed to this entry of a plugin, project or local file: its program is started or its address
   * called, and its `trust` is taken over. Default: nobody has agreed to anything.
   */
  readonly approved?: (entry: Located<ServerEntry>) => boolean
  /** Hashes commands for the policy `allowedMcpServers`: `nodeHash()` of `@ext/kernel/node`. Without it no command fits. */
  readonly hash?: Pick<HashPort, 'sha256'>
  /** For servers whose entry says nothing else. */
  readonly defaults?: ServerDefaults
}

/** What holds for servers whose entry says nothing else. */
export interface ServerDefaults {
  /** Start, handshake and tool list together, in milliseconds. Default 30,000. */
  readonly connectMs?: number
  /** A list that is asked for later, in milliseconds. Default 30,000. */
  readonly listMs?: number
  /** One call from the last sign of progress on, in milliseconds. Default 60,000. */
  readonly callMs?: number
  /** One call in all, in milliseconds. Default 600,000. */
  readonly totalMs?: number
  /** Default: asked every 30 s, given up after 10 s. */
  readonly keepAlive?: KeepAlive | false
  /** Default: 5 attempts in a row, 500 ms to 30 s apart. */
  readonly reconnect?: Partial<Reconnect>
  /** Default: none. */
  readonly rate?: Rate
  /** Calls at a time. Default 16. */
  readonly concurrency?: number
  /** Default: 5 failures in a row, 30 s. */
  readonly breaker?: Breaker | false
  /** Bytes of one result that are kept. Default 262,144, which is what an agent shows a model. */
  readonly maxResultBytes?: number
}

export interface McpClientOptions extends ServerConfigOptions {
  /** How this program introduces itself to servers. */
  readonly clientInfo: { readonly name: string; readonly version: string }
  readonly ports: HostPorts
  /**
   * How servers over HTTP are reached. Default: the global `fetch`, which reaches private hosts as well. Redirects are
   * followed by the client, so this must not do it.
   */
  readonly fetch?: typeof fetch
  /** What becomes of the tools of a server that is down for good: left out, or listed with a word about it. Default `hide`. */
  readonly whenDown?: 'hide' | 'mark'
  /** Where approved definitions of tools are kept. Default: in memory, so that changes are seen within one process. */
  readonly pins?: PinsPort
  /**
   * Lists tools as long as their definitions fit into a prompt, and lets the model search them beyond that. Default: all
   * tools are always listed.
   */
  readonly search?: ToolSearchOptions
  /** Where definitions of tools of servers with `lazy: true` are kept. Default: nowhere, so that they start like others. */
  readonly toolCache?: ToolCache
  /** How old kept definitions may be, in milliseconds. Default 604,800,000, which is a week. */
  readonly toolCacheMaxAgeMs?: number
  /**
   * Whose models the tools are for. Input schemas that the provider refuses get another form in `modelSchema`, and tools
   * that have none are left out. Default: schemas are as the servers have them.
   */
  readonly provider?: Provider
  /** Where what is cut from large results goes. Default: nowhere; the result says so. */
  readonly spill?: SpillPort
  /**
   * Hears every line that servers write to stderr, and with a `level` what they log over MCP; masked and without control
   * characters.
   */
  readonly onLog?: (server: string, line: string, level?: LogLevel) => void
  /** From which level on servers are asked to log over MCP. Default: they are not asked, and log as they like. */
  readonly logLevel?: LogLevel
  /** Lets servers have a model think for them. Default: they are told that there is none. */
  readonly sampling?: SamplingPort
  /** Lets servers ask the person. Default: they are told that nobody can be asked. */
  readonly elicitation?: ElicitationPort
  /** How much servers may ask. */
  readonly asking?: AskingLimits
  /**
   * Absolute paths of the folders that are worked in, for a server that asks. Called when it is started and when it asks,
   * and by `apply`, which tells it if they are others now. Some servers then work in these alone, whatever folders their
   * arguments name. `undefined`, and without this option: the server is not told that there are any.
   */
  readonly roots?: (server: CompiledServer) => readonly string[] | undefined
  /**
   * Whether models get the tools `list_mcp_resources` and `read_mcp_resource` while a server that has resources is up.
   * Default true.
   */
  readonly resourceTools?: boolean
  /** Hears of every call once, when it is over. */
  readonly onCall?: (facts: CallFacts) => void
  /**
   * Draws each attempt to connect to a server as a span `ext.mcp.connect`, and each request that belongs to a call as one
   * that is named as MCP does, `tools/call NAME`; the server is told of it. A tracer of `@ext/agent-core` fits.
   */
  readonly tracer?: McpTracer
  /** How servers are ended, in milliseconds. Default: 1,000 after stdin was closed, 2,000 more after TERM, 5,000 in all. */
  readonly ending?: { readonly waitMs?: number; readonly graceMs?: number; readonly totalMs?: number }
}

/** Values that a span can carry. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** Draws what takes time as spans. */
export interface McpTracer {
  /** @param options.within the span of the call; absent for what belongs to no call, or to one of which nothing was told */
  start(name: string, options: { readonly attributes: SpanAttributes; readonly within?: TraceContext }): McpSpan
}

export interface McpSpan {
  /** What the server is told of it. Default: it is told of the call's. */
  readonly trace?: TraceContext | undefined
  set?(attributes: SpanAttributes): void
  /** @param error what kind of error ended it */
  end(error?: string): void
}

/** A definition of a tool as a person has approved it. */
export interface PinnedTool {
  readonly title?: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  readonly annotations?: JsonObject
}

/** By the names that the server uses. */
export type PinnedTools = Readonly<Record<string, PinnedTool>>

/** Keeps approved definitions. A rejection is reported, and the definitions count as never seen. */
export interface PinsPort {
  /** @returns `undefined` for a server that was never approved */
  read(server: ServerId): Promise<PinnedTools | undefined>
  write(server: ServerId, tools: PinnedTools): Promise<void>
}

/** A server and where it is configured: the same name elsewhere is another server. */
export interface ServerId {
  readonly name: string
  readonly source: Source
}

/** How many tools are listed at a time. */
export interface ToolSearchOptions {
  /**
   * How long the definitions of listed tools may be together, in tokens as `estimateTokens` of the kernel counts them. As
   * long as all tools fit, all are listed and there is no search.
   */
  readonly tokens: number
  /** Full names of tools that are listed in any case, with * and ?: `mcp__github__*`. Default: none besides `tools.always`. */
  readonly always?: readonly string[]
}

/** What a server with `lazy: true` said of its tools when it was connected. */
export interface CachedTools {
  /** When that was, in milliseconds since the epoch. */
  readonly at: number
  /** Of what was started or reached, a hash. Another one means another server. */
  readonly endpoint: string
  /** As the server sent them. */
  readonly tools: readonly JsonValue[]
  /** Why the list of tools was cut off, if it was. */
  readonly cut?: string
  /** Whether arguments of calls are also sent as headers. Default false. */
  readonly mirrors?: boolean
  /** Whether it has resources. Default false. */
  readonly resources?: boolean
  readonly instructions?: string
}

/** Keeps definitions of tools from run to run. A rejection is reported, and the server is started as others are. */
export interface ToolCache {
  /** @returns `undefined` for a server of which nothing is kept */
  read(server: ServerId): Promise<CachedTools | undefined>
  write(server: ServerId, tools: CachedTools): Promise<void>
}

/** Takes what is too large for a conversation. */
export interface SpillPort {
  /**
   * Keeps a text or bytes. A rejection is said in the result, and nothing else happens.
   * @returns where it can be read in full: as a URI, and as a path where tools that read files can find it
   */
  keep(item: SpilledItem): Promise<{ readonly uri: string; readonly path?: string }>
}

export interface SpilledItem {
  readonly server: string
  readonly tool: string
  readonly mimeType: string
  readonly data: string | Uint8Array
}

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

/** A tool that is not offered because it is not what was approved. */
export interface HeldTool {
  readonly server: string
  /** What the server calls it. */
  readonly tool: string
  /** What it would be called here. */
  readonly name: string
  /** What is different, field by field. */
  readonly changes: readonly ToolChange[]
  /** For a tool that is new under this name: the one that it is a copy of, which is denied or held. */
  readonly copyOf?: string
}

/** A tool that the rules of the configuration leave out. */
export interface HiddenTool {
  readonly server: string
  /** What the server calls it. */
  readonly tool: string
  /** The rule, in its own words. */
  readonly why: string
}

export interface ToolChange {
  readonly field: keyof PinnedTool
  readonly before?: JsonValue
  readonly after?: JsonValue
}

/** What new configuration came to, by names of servers. */
export interface Applied {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** What is started or reached is different now, so they were connected anew. */
  readonly restarted: readonly string[]
  /** Other settings are different; their connections went on. */
  readonly changed: readonly string[]
  readonly unchanged: readonly string[]
}

/** The tools of one session, as an agent asks for them. */
export interface SessionTools {
  /**
   * What the model is shown, sorted by name: all tools, or with `search` those that are always listed, `tool_search`, and
   * what was found. The same array until something changes.
   */
  tools(): readonly Tool[]
  /** A tool by its full name, whether it is listed or not. One that is called without being listed is listed from then on. */
  tool(name: string): Tool | undefined
}

export interface McpClient {
  /**
   * Resolves when every server is ready or has failed once, or when the time is up; it never waits for the slowest.
   * Never rejects.
   * @param options.within milliseconds, default 2,000
   */
  ready(options?: { readonly within?: number }): Promise<ReadyReport>
  /** The tools for one session: what is listed, and what it has found. Connections are shared by all sessions. */
  session(ref: SessionRef): SessionTools
  /**
   * Tools of all servers that are up, and those for their resources, sorted by name. The same array until something changes, so it can be compared by
   * identity; the same content after a server was lost and came back.
   */
  tools(): readonly Tool[]
  /**
   * Calls a tool by its full name. Every failure is a result with `isError`, the cause in `meta` (`server`, `phase`,
   * `kind`, `hint`) and a text that the model can act on.
   * @throws the signal's reason when it aborts; the server is told
   */
  call(name: string, input: JsonObject, options?: CallOptions): Promise<ToolResult>
  /** What servers give to read. */
  readonly resources: Resources
  /** Texts that servers make for a person to begin with. */
  readonly prompts: Prompts
  /** One row per server, sorted by name. */
  status(): readonly ServerStatus[]
  /** Tools that wait for a person, sorted by name. */
  held(): readonly HeldTool[]
  /** Tools of servers that are up or idle which rules leave out, sorted by server and name. */
  hidden(): readonly HiddenTool[]
  /**
   * Approves held tools; they are offered at once. What is not held is left alone.
   * @param tools as `held()` gave them, so that one that has changed again since a person looked at it stays held; or by
   *   the server's names, as they are now. Default: all that are held, as they are now
   * @returns what was approved
   */
  approve(server: string, tools?: readonly (string | HeldTool)[]): Promise<readonly HeldTool[]>
  /**
   * Reads the configuration again and touches only what is different. One at a time; bad configuration never rejects, and
   * an entry that can't be read any more keeps its last good version.
   * @param layers from now on, instead of those before
   */
  apply(layers?: readonly ConfigSource[]): Promise<Applied>
  /** As it is now; another one after `apply`. */
  readonly snapshot: Snapshot<CompiledServer>
  /** What configuration, connecting and the servers' lists of tools gave rise to. Grows while servers connect. */
  readonly diagnostics: readonly Diagnostic[]
  /** Called soon after a state or the list of tools changed. Returns the function that ends the subscription. */
  onChange(listener: () => void): () => void
  /** Ends all servers and what they started, within 5 seconds. Idempotent. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
