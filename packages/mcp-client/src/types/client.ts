import type { JsonObject, SessionRef, Tool, ToolResult } from '@ext/kernel/contract'
import type { ConfigSource, Diagnostic, Snapshot } from '@ext/kernel/types'
import type { CompiledServer } from '../compiled.js'
import type { Prompts, Resources } from '../offered.js'
import type { CallOptions } from './calls.js'
import type { ReadyReport, ServerStatus } from './status.js'
import type { HeldTool, HiddenTool } from './tools.js'

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
