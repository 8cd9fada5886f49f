/**
 * Types of the MCP client. Type-only entry (`@ext/mcp-client/types`); importing it costs nothing at run time.
 * @module
 */
import type { JsonObject, SessionRef, Tool, ToolResult } from '@ext/kernel/contract'
import type { Command, ConfigSource, Diagnostic, HostPorts, Located, Snapshot, Source } from '@ext/kernel/types'

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
   * Whether a person has agreed to this entry of a plugin, project or local file: its program is started, and its
   * `trust` is taken over. Default: nobody has agreed to anything.
   */
  readonly approved?: (entry: Located<ServerEntry>) => boolean
  /** For servers whose entry says nothing else. */
  readonly timeouts?: {
    /** Start, handshake and tool list together, in milliseconds. Default 30,000. */
    readonly connectMs?: number
    /** One call, in milliseconds. Default 60,000. */
    readonly callMs?: number
  }
}

export interface McpClientOptions extends ServerConfigOptions {
  /** How this program introduces itself to servers. */
  readonly clientInfo: { readonly name: string; readonly version: string }
  readonly ports: HostPorts
}

/** A server's entry, validated. Variables are not expanded yet, so it shows what was written. */
export interface ServerEntry {
  readonly name: string
  /** Absent only in an entry that switches a server off. */
  readonly command?: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly enabled: boolean
  /** Whether the annotations of its tools are believed. */
  readonly trust: boolean
  readonly connectMs?: number
  readonly callMs?: number
}

/** What is started for a server. */
export interface Launch {
  readonly command: Command
  readonly cwd: string
  /** The whole environment: the minimal one and what the entry declares. */
  readonly env: Readonly<Record<string, string>>
}

/** A server that can be started. */
export interface CompiledServer {
  readonly name: string
  readonly trusted: boolean
  readonly connectMs: number
  readonly callMs: number
  /** A function, so that a snapshot that is printed shows no expanded secret. */
  launch(): Launch
}

/**
 * - `untrusted`: waits for the consent of a person · `disabled`: configuration switched it off
 * - `connecting` → `ready` → `failed` (its connection ended) or `closed` (by `close()`)
 * - `connecting` → `failed`: it did not become ready
 */
export type ServerState = 'untrusted' | 'disabled' | 'connecting' | 'ready' | 'failed' | 'closed'

export interface ServerStatus {
  readonly name: string
  readonly state: ServerState
  /** When it entered this state, in milliseconds since the epoch. */
  readonly since: number
  /** Why it failed. */
  readonly cause?: string
  /** How many of its tools are offered. */
  readonly tools: number
  /** The entry. */
  readonly source: Source
  /** The last 4 KiB that it wrote to stderr, without control characters. Not redacted. */
  readonly stderrTail?: string
}

/** Names of servers. Untrusted and disabled ones are in none of the lists. */
export interface ReadyReport {
  readonly ready: readonly string[]
  /** Still connecting; they join through `onChange`. */
  readonly late: readonly string[]
  readonly failed: readonly string[]
}

/**
 * What went wrong, in `meta` of a result with `isError`.
 * - `network`: the connection is not there · `protocol`: an answer that is not MCP · `timeout`: none in time
 * - `remote`: the server says that it failed · `aborted`: the client was closed
 */
export type FailureKind = 'network' | 'protocol' | 'timeout' | 'remote' | 'aborted'

export interface CallOptions {
  readonly signal?: AbortSignal
}

export interface McpClient {
  /**
   * Resolves when every server is ready or has failed, or when the time is up; it never waits for the slowest.
   * Never rejects.
   * @param options.within milliseconds, default 2,000
   */
  ready(options?: { readonly within?: number }): Promise<ReadyReport>
  /** The tools for one session. Connections are shared by all sessions. */
  session(ref: SessionRef): { tools(): readonly Tool[] }
  /**
   * Tools of all servers that are ready, sorted by name. The same array until something changes, so it can be
   * compared by identity.
   */
  tools(): readonly Tool[]
  /**
   * Calls a tool by its full name. Every failure is a result with `isError`, the cause in `meta` (`server`, `phase`,
   * `kind`, `hint`) and a text that the model can act on.
   * @throws the signal's reason when it aborts; the server is told
   */
  call(name: string, input: JsonObject, options?: CallOptions): Promise<ToolResult>
  /** One row per server, sorted by name. */
  status(): readonly ServerStatus[]
  readonly snapshot: Snapshot<CompiledServer>
  /** What configuration, connecting and the servers' lists of tools gave rise to. Grows while servers connect. */
  readonly diagnostics: readonly Diagnostic[]
  /** Called soon after a state or the list of tools changed. Returns the function that ends the subscription. */
  onChange(listener: () => void): () => void
  /** Ends all servers and what they started, within 5 seconds. Idempotent. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
