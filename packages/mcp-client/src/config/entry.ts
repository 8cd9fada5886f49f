import type { Matcher } from '@ext/kernel/match'

/** A server's entry, validated. Variables are not expanded yet, so it shows what was written. */
export interface ServerEntry {
  readonly name: string
  readonly enabled: boolean
  /** Absent only in an entry that switches a server off. */
  readonly transport?: StdioEntry | HttpEntry
  /** Names of the host's variables that are put into what is started or reached; for a person to agree to. */
  readonly variables: readonly string[]
  /** Whether the annotations of its tools are believed. */
  readonly trust: boolean
  /** It is started by the first call, if its tools are known from before. */
  readonly lazy: boolean
  readonly tools: ToolRules
  readonly timeouts: EntryTimeouts
  /** Health checks. `false`: none. Absent: the default. */
  readonly keepAlive?: Partial<KeepAlive> | false
  readonly reconnect?: Partial<Reconnect>
  readonly limits: EntryLimits
  /** Variables that have to be set: without one of them the server stays off. */
  readonly required: readonly string[]
}

/**
 * Which revisions of MCP are spoken: those of 2025 and before, the one of 2026-07-28, or whatever the server knows. A
 * program is asked nothing before `initialize`, since some end at that: there, `auto` means 2025.
 */
export type Protocol = 'auto' | '2025' | '2026'

/** A program that is started and spoken to over its pipes. */
export interface StdioEntry {
  readonly kind: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Names or presets of host variables that are passed on besides the minimal ones; `all` has to be written. */
  readonly inheritEnv: 'all' | readonly string[]
  readonly protocol: Protocol
}

/** A server that is reached over HTTP. */
export interface HttpEntry {
  readonly kind: 'http'
  readonly url: string
  /** Whether `${NAME}` in `url` is replaced. */
  readonly expandUrl: boolean
  readonly headers: Readonly<Record<string, string>>
  /** `sse`: only the older form. `http`: Streamable HTTP, and the older form where the server knows nothing else. */
  readonly form: 'http' | 'sse'
  /** Whether the stream on which servers speak first is opened. `auto`: where the server has one. */
  readonly listen: 'auto' | 'off'
  readonly protocol: Protocol
}

/** Which tools of a server are offered, and what is known of single ones. Names are those of the server. */
export interface ToolRules {
  /** Only these. Absent: all. */
  readonly allow?: Matcher
  /** Not these, whatever `allow` says. */
  readonly deny?: Matcher
  /** Listed in any case, also where there are so many tools that they are searched. */
  readonly always?: Matcher
  readonly perTool: readonly PerTool[]
  /** All that is written in there, one by one. */
  readonly patterns: readonly RulePattern[]
}

/** A name or pattern of tools, and where in the entry it stands. */
export interface RulePattern {
  /** Starts at the entry. */
  readonly pointer: string
  readonly tool: Matcher
}

/** What configuration says of tools of one name or pattern. The last that fits counts, field by field. */
export interface PerTool {
  readonly tool: Matcher
  /** For one call, in milliseconds. */
  readonly callMs?: number
  /** Whether the tool only reads, whatever it says itself. */
  readonly readOnly?: boolean
}

/** In milliseconds; absent: the default of the client. */
export interface EntryTimeouts {
  /** Start, handshake and list of tools together. */
  readonly connectMs?: number
  /** A list of tools that is asked for later. */
  readonly listMs?: number
  /** One call, from the last sign of progress on. */
  readonly callMs?: number
  /** One call in all, whatever progress it reports. */
  readonly totalMs?: number
}

/** How a silent server is noticed, in milliseconds. */
export interface KeepAlive {
  readonly intervalMs: number
  readonly timeoutMs: number
}

/** How often and after which waits, in milliseconds, a lost server is started again. */
export interface Reconnect {
  /** In a row, without a success. 0: never. */
  readonly attempts: number
  /** Before the second attempt; doubles from there. */
  readonly minMs: number
  readonly maxMs: number
}

/** What a server may be asked and may answer. Absent: the default of the client. */
export interface EntryLimits {
  readonly rate?: Rate
  /** Calls at a time. */
  readonly concurrency?: number
  /** `false`: calls are never held back after failures. */
  readonly breaker?: Partial<Breaker> | false
  /** Bytes of one result that are kept; the rest is spilled. */
  readonly maxResultBytes?: number
}

/** A token bucket. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** Failures in a row after which calls are refused at once, and for how long. */
export interface Breaker {
  readonly failures: number
  readonly cooldownMs: number
}
