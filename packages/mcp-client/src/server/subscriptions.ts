import type { ToolResult } from '@ext/kernel/contract'
import type { ClockPort } from '@ext/kernel/types'
import type { Session } from '../connect/session.js'
import { notProvided } from '../explain/offers.js'
import type { OfferOptions, ResourceSubscription } from '../offered.js'
import type { Calls } from './calls.js'

/** Servers often tell of one change many times. */
const QUIET_MS = 100
/** What cannot be told before that is told later. */
const MAX_CHANGED = 1000

export interface SubscriptionsHost {
  readonly server: string
  readonly clock: ClockPort
  readonly calls: Calls
  session(): Session | undefined
  /** Whether the server tells, as it said when it was connected to last. */
  tells(): boolean
  /** Calls a function of the program. */
  listen(name: string, listener: () => void): void
}

interface Listener {
  readonly tell: (uri: string) => void
}

interface Subscribed {
  readonly listeners: Set<Listener>
  /** What the server said to it: nothing, or why not. Never rejects. */
  readonly asked: Promise<ToolResult | undefined>
}

/** Who wants to hear of changes of the resources of one server. */
export class Subscriptions {
  readonly #host: SubscriptionsHost
  readonly #byUri = new Map<string, Subscribed>()
  readonly #changed = new Set<string>()
  #cancelTimer: (() => void) | undefined

  constructor(host: SubscriptionsHost) {
    this.#host = host
  }

  /** @throws the signal's reason when it aborts */
  async add(uri: string, tell: (uri: string) => void, { signal }: OfferOptions): Promise<ResourceSubscription> {
    signal?.throwIfAborted()
    const { server, tells } = this.#host
    if (!tells()) return { failed: notProvided(server, 'subscriptions') }
    // At once, so that what changes while it is asked is not missed.
    const known = this.#byUri.get(uri)
    const subscribed = known ?? { listeners: new Set(), asked: this.#ask(uri) }
    if (!known) this.#byUri.set(uri, subscribed)
    const listener: Listener = { tell }
    subscribed.listeners.add(listener)
    const failed = await subscribed.asked
    if (failed && this.#byUri.get(uri) === subscribed) this.#byUri.delete(uri)
    if (failed) return { failed }
    if (signal?.aborted) this.#end(uri, listener)
    signal?.throwIfAborted()
    return { end: () => this.#end(uri, listener) }
  }

  /** The server says that a resource, or a part of one, is different. */
  updated(uri: string): void {
    if (this.#changed.size >= MAX_CHANGED || this.#listeners(uri).length === 0) return
    this.#changed.add(uri)
    this.#cancelTimer ??= this.#host.clock.after(QUIET_MS, () => this.#tell())
  }

  /** The server was started anew and knows of nobody. */
  renew(): void {
    for (const uri of this.#byUri.keys()) {
      void this.#ask(uri)
      this.updated(uri)
    }
  }

  /** It is not wanted any more. */
  rest(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#changed.clear()
    this.#byUri.clear()
  }

  async #ask(uri: string): Promise<ToolResult | undefined> {
    const hint = 'Read the resource again from time to time.'
    const { failed } = await this.#host.calls.ask('resources/subscribe', { uri }, hint, {})
    return failed
  }

  #end(uri: string, listener: Listener): void {
    const listeners = this.#byUri.get(uri)?.listeners
    if (!listeners?.delete(listener) || listeners.size > 0) return
    this.#byUri.delete(uri)
    // A server that is gone has forgotten it.
    if (this.#host.session()) void this.#host.calls.ask('resources/unsubscribe', { uri }, '', {})
  }

  #listeners(uri: string): readonly Listener[] {
    return [...this.#byUri].flatMap(([of, { listeners }]) => (isPartOf(uri, of) ? [...listeners] : []))
  }

  #tell(): void {
    this.#cancelTimer = undefined
    const changed = [...this.#changed]
    this.#changed.clear()
    for (const uri of changed) {
      for (const { tell } of this.#listeners(uri)) this.#host.listen('subscribe', () => tell(uri))
    }
  }
}

/** Servers may tell of a part of what was asked about. */
function isPartOf(uri: string, whole: string): boolean {
  return uri === whole || uri.startsWith(whole.endsWith('/') ? whole : `${whole}/`)
}
