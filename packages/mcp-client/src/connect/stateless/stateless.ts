import type { JsonObject } from '@ext/kernel/contract'
import type { CancelSignal } from '../../cancel.js'
import { pause } from '../http/pause.js'
import { type AskOptions, givenUp } from '../requests.js'
import { Fault, type Greeting, type OfferRequest, type SessionCallOptions, type SessionHost } from '../session.js'
import type { Wire } from '../wire.js'
import { metaOf } from './meta.js'
import { Mirror } from './mirror.js'
import { answerAll } from './questions.js'
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
    const { greeting, wire, host, mirrors, listens } = options
    this.mirrors = mirrors
    this.#options = options
    wire.requests.describe(metaOf(greeting.protocolVersion, host))
    wire.answersNothing()
    if (listens) this.#subscription = this.#listen(options)
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
      if (!this.mirrors || !(error instanceof Fault) || error.refusal?.code !== HEADER_MISMATCH) throw error
      await this.#listAgain(options.signal)
      this.#options.host.onNotice?.({ type: 'changed', what: 'tools' })
      return this.#callOnce(tool, input, options)
    }
  }

  async ask(what: OfferRequest, params: JsonObject, options: SessionCallOptions): Promise<unknown> {
    const { greeting, wire, host, request } = this.#options
    switch (what) {
      case 'resources/read':
      case 'prompts/get':
        return this.#inRounds(what, params, options)
      case 'completion/complete':
        return request(what, params, options)
      case 'resources/subscribe':
        await this.#subscription?.watch(String(params['uri']), options.signal)
        return {}
      case 'resources/unsubscribe':
        this.#subscription?.unwatch(String(params['uri']))
        return {}
      case 'logging/setLevel':
        // Said with each request instead.
        wire.requests.describe(metaOf(greeting.protocolVersion, host, String(params['level'])))
        return {}
    }
  }

  end(): void {
    this.#subscription?.end()
  }

  #callOnce(name: string, input: JsonObject, options: SessionCallOptions): Promise<unknown> {
    const headers = this.mirrors ? this.#mirror.headersFor(name, input) : {}
    return this.#inRounds('tools/call', { name, arguments: input }, { ...options, headers })
  }

  #inRounds(method: string, params: JsonObject, options: AskOptions): Promise<unknown> {
    const { request, host } = this.#options
    const { signal } = options
    return inRounds({
      ask: (more) => request(method, { ...params, ...more }, options),
      answer: (questions) => answerAll(questions, host.answering, options),
      async pause(ms) {
        await pause(host.clock, ms, signal)
        if (signal.aborted) throw givenUp(signal, 'unknown')
      },
    })
  }

  #listen({ greeting, wire, host, request }: StatelessOptions): Subscription {
    const { toolsChange, resourcesChange, promptsChange } = greeting.capabilities
    const subscription = new Subscription({
      clock: host.clock,
      wants: {
        ...(toolsChange ? { toolsListChanged: true } : {}),
        ...(resourcesChange ? { resourcesListChanged: true } : {}),
        ...(promptsChange ? { promptsListChanged: true } : {}),
      },
      listen: (notifications, options) => request('subscriptions/listen', { notifications }, options),
      missed: () => {
        const changes = [toolsChange && 'tools', resourcesChange && 'resources', promptsChange && 'prompts'] as const
        for (const what of changes) if (what) host.onNotice?.({ type: 'changed', what })
      },
    })
    wire.onsubscribed = (params) => subscription.acknowledged(params, this.#hasListed)
    return subscription
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
