import type { JsonObject } from '@ext/kernel/contract'

/**
 * One connection to one server: the only way from here to the protocol, so that no type of the SDK gets further than
 * this folder. It knows no deadline: signals carry the caller's.
 */
export interface Connection {
  /** Shakes hands. Rejects with a {@link Fault}. */
  open(signal: AbortSignal): Promise<void>
  /** One page of `tools/list`, as the server sent it. Rejects with a {@link Fault}. */
  list(cursor: string | undefined, signal: AbortSignal): Promise<unknown>
  /** The result of `tools/call`, as the server sent it. Rejects with a {@link Fault}; an abort tells the server. */
  call(tool: string, input: JsonObject, signal: AbortSignal): Promise<unknown>
  /** Ends it, half-open too; resolves once nothing of the server is left. Idempotent. */
  close(): Promise<void>
  /** Resolves when the server is gone, whoever ended it. */
  readonly closed: Promise<void>
  /** What was seen of the server besides its answers. */
  readonly seen: Seen
}

export interface Seen {
  /** How it ended, as the rest of a sentence: `exited with code 3`. */
  readonly end?: string
  /** It never ran at all. */
  readonly notStarted: boolean
  /** The end of what it wrote to stderr. */
  readonly stderrTail: string
  /** Lines on stdout that were no messages, and the first of them. */
  readonly junk: { readonly lines: number; readonly first: string }
  /** Messages that were dropped for their size. */
  readonly tooLarge: number
}

/** Why a request got no result. The message is the rest of a sentence about the server: `exited with code 3`. */
export class Fault extends Error {
  readonly kind: 'network' | 'protocol' | 'remote'

  constructor(kind: Fault['kind'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'Fault'
    this.kind = kind
  }
}
