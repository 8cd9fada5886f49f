import type { Command } from '@ext/kernel/types'
import type { Breaker, KeepAlive, Protocol, Rate, Reconnect } from './config/entry.js'

/** A server that can be connected to. */
export interface CompiledServer {
  readonly name: string
  readonly trusted: boolean
  /** Whether a tool of this name is offered; the words of the configuration that say no. */
  offers(tool: string): { readonly offered: true } | { readonly offered: false; readonly why: string }
  /** What configuration says of one tool. */
  tool(name: string): { readonly callMs: number; readonly readOnly?: boolean }
  /** Whether a tool of this name is listed although there are too many. */
  always(tool: string): boolean
  /** Patterns about tools that fit none of these: misspelt, or the server has changed. */
  idleRules(tools: readonly string[]): readonly { readonly pointer: string; readonly text: string }[]
  /** It is started by the first call, if its tools are known from before. */
  readonly lazy: boolean
  readonly connectMs: number
  /** For whatever is asked that is no call of a tool. */
  readonly callMs: number
  readonly listMs: number
  readonly totalMs: number
  readonly keepAlive?: KeepAlive
  readonly reconnect: Reconnect
  readonly limits: ServerLimits
  /** A function, so that a snapshot that is printed shows no expanded secret. */
  endpoint(): Endpoint
  /**
   * Equal for two versions of an entry exactly if the same is started or reached: such a server goes on when the rest of
   * its entry changes. Like `endpoint`, a function because it holds secrets.
   */
  endpointKey(): string
  /** Equal exactly if the whole entry means the same. */
  entryKey(): string
  /** Values that came out of variables or stand under a secret's name: to be masked in what is shown. */
  secrets(): readonly string[]
}

export interface ServerLimits {
  readonly rate?: Rate
  readonly concurrency: number
  readonly breaker?: Breaker
  readonly maxResultBytes: number
}

/** What is started or reached. */
export type Endpoint = Launch | Remote

/** A program with all that it gets. */
export interface Launch {
  readonly kind: 'stdio'
  readonly command: Command
  readonly cwd: string
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  readonly protocol: '2025' | '2026'
}

/** A place on the network. */
export interface Remote {
  readonly kind: 'http'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly form: 'http' | 'sse'
  readonly listen: 'auto' | 'off'
  readonly protocol: Protocol
}
