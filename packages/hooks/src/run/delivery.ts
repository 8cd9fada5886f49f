import { canonicalJson } from '@ext/kernel'
import type { SessionRef } from '@ext/kernel/contract'
import type { BegunCall } from './actions/function.js'
import { eventVariables } from './environment.js'
import type { SentPayload } from './payload.js'

/** What all hooks of one event get. Whatever only some kinds of action need is made when the first of them asks. */
export class Delivery {
  readonly payload: SentPayload
  readonly session: SessionRef
  /** Ends whatever runs. */
  readonly signal: AbortSignal
  /** The function that was called before there was a delivery. */
  readonly begun: BegunCall | undefined
  readonly #root: string
  #made: { json?: string; variables?: Readonly<Record<string, string>> } = {}

  constructor(payload: SentPayload, session: SessionRef, root: string, signal: AbortSignal, begun?: BegunCall) {
    this.payload = payload
    this.session = session
    this.signal = signal
    this.begun = begun
    this.#root = root
  }

  /** Whether there is JSON for the payload. */
  get isJson(): boolean {
    try {
      return this.json !== ''
    } catch {
      return false
    }
  }

  /** The payload as one line of JSON with sorted keys, without its end of line. */
  get json(): string {
    this.#made.json ??= canonicalJson(this.payload)
    return this.#made.json
  }

  /** The main parts of the payload as environment variables. */
  get variables(): Readonly<Record<string, string>> {
    this.#made.variables ??= eventVariables(this.payload, this.#root)
    return this.#made.variables
  }

  /** The same for hooks that another signal ends. */
  endedBy(signal: AbortSignal): Delivery {
    const other = new Delivery(this.payload, this.session, this.#root, signal, this.begun)
    other.#made = this.#made
    return other
  }
}
