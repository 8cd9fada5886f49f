import type { HashPort } from '@ext/kernel/trust'
import type { ConfigSource, HostPorts, Located } from '@ext/kernel/types'
import type { AskingLimits, ElicitationPort, LogLevel, SamplingPort } from '../asked.js'
import type { CompiledServer } from '../compiled.js'
import type { Breaker, KeepAlive, Rate, Reconnect, ServerEntry } from '../config/entry.js'
import type { Provider } from '../profiles/adapted.js'
import type { CallFacts } from './calls.js'
import type { PinsPort, SpillPort, ToolCache, ToolSearchOptions } from './ports.js'
import type { McpTracer } from './trace.js'

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
