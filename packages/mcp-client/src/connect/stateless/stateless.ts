import type { JsonObject } from '@ext/kernel/contract'
import type { CancelSignal } from '../../cancel.js'
import { pause } from '../http/pause.js'
import { type AskOptions, givenUp } from '../requests.js'
import { Fault, type Greeting, type SessionCallOptions, type SessionHost } from '../session.js'
import type { Wire } from '../wire.js'
import { metaOf } from './meta.js'
import { Mirror } from './mirror.js'
import { inRounds } from './rounds.js'
import { Subscription } from './subscription.js'

/** `HeaderMismatch`: the server has another idea of what has to be in the headers of a call. */
const HEADER_MISMATCH = -32020
const MAX_PAGES = 100

export interface StatelessOptions {
  readonly greeting: Greeting
  readonly wire: Wire
  readonly host: SessionHost
  /** Whether there are headers. */
  readonly mirrors: boolean
  readonly listens: boolean
  request(method: string, params: JsonObject, options: AskOptions): Promise<unknown>
}

/** What is different for a server that knows no sessions: MCP from revision 2026-07-28 on. */
export class Stateless {
  readonly mirrors: boolean
  readonly #options: StatelessOptions
  readonly #mirror = new Mirror()
  readonly #subscription: Subscription | undefined
  #hasListed = false

  constructor(options: StatelessOptions) {
    const { greeting, wire, host, mirrors, listens, request } = options
    this.mirrors = mirrors
    this.#options = options
    wire.requests.describe(metaOf(greeting.protocolVersion, host))
    if (!listens || !greeting.capabilities.toolsChange) return
    const notifications = { toolsListChanged: true }
    const subscription = new Subscription({
      clock: host.clock,
      listen: (signal) => request('subscriptions/listen', { notifications }, { signal }),
      missed: () => host.onToolsChanged?.(),
    })
    this.#subscription = subscription
    wire.onsubscribed = () => subscription.acknowledged(this.#hasListed)
  }

  get deaf(): string | undefined {
    return this.#subscription?.deaf
  }

  listed(page: unknown): void {
    this.#hasListed = true
    if (this.mirrors) this.#mirror.learn(page)
  }

  async call(tool: string, input: JsonObject, options: SessionCallOptions): Promise<unknown> {
    try {
      return await this.#callOnce(tool, input, options)
    } catch (error) {
      // It has done nothing: what the tool wants to have in headers is not what it said.
      if (!this.mirrors || !(error instanceof Fault) || error.code !== HEADER_MISMATCH) throw error
      await this.#listAgain(options.signal)
      this.#options.host.onToolsChanged?.()
      return this.#callOnce(tool, input, options)
    }
  }

  end(): void {
    this.#subscription?.end()
  }

  #callOnce(name: string, input: JsonObject, options: SessionCallOptions): Promise<unknown> {
    const { request, host } = this.#options
    const { signal } = options
    const headers = this.mirrors ? this.#mirror.headersFor(name, input) : {}
    return inRounds({
      ask: (more) => request('tools/call', { name, arguments: input, ...more }, { ...options, headers }),
      async pause(ms) {
        await pause(host.clock, ms, signal)
        if (signal.aborted) throw givenUp(signal, 'unknown')
      },
    })
  }

  async #listAgain(signal: CancelSignal): Promise<void> {
    let cursor: unknown
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = typeof cursor === 'string' ? { cursor } : {}
      const result = await this.#options.request('tools/list', params, { signal })
      this.#mirror.learn(result)
      cursor = (result as { readonly nextCursor?: unknown }).nextCursor
      if (typeof cursor !== 'string' || cursor === '') return
    }
  }
}
