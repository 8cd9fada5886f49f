import type { JsonObject, JsonValue } from '@ext/kernel/contract'
import type { Source } from '@ext/kernel/types'

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
