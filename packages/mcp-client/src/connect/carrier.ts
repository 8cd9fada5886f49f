import type { Fault, Patience, Seen } from './session.js'

/** A message of JSON-RPC, as far as carrying it needs to know it. */
export interface Message {
  readonly jsonrpc: '2.0'
  readonly id?: RequestId | undefined
  readonly method?: string
  readonly params?: unknown
  /** Of an answer. */
  readonly result?: unknown
  /** Of an answer that says no. */
  readonly error?: { readonly code: number; readonly message: string }
}

export type RequestId = string | number

/** Carries messages to one server and back. Knows nothing of any SDK, so that each can be put on top of it. */
export interface Carrier {
  /** Once, before the first message. Rejects with a {@link Fault}. */
  start(receiver: Receiver): Promise<void>
  /**
   * Resolves when the message is handed over. Rejects with a {@link Fault} when it is not.
   * @param headers more of them, for where there are any
   */
  send(message: Message, headers?: Readonly<Record<string, string>>): Promise<void>
  /** The version of the protocol that was agreed on. */
  agreed?(protocolVersion: string): void
  /** See `Session.close`. */
  close(patience?: Patience): Promise<void>
  /** See `Session.closed`. */
  readonly closed: Promise<void>
  readonly seen: Seen
}

/** Takes what a carrier brings. */
export interface Receiver {
  /**
   * @param about the request of ours in whose answer it came, where the transport tells
   * @returns false for a value that is no message
   */
  message(value: unknown, about?: RequestId): boolean
  /** The request gets no answer. Nothing happens if nobody waits for one. */
  failed(id: RequestId, fault: Fault): void
  /** No request gets an answer any more. */
  ended(fault: Fault): void
}
