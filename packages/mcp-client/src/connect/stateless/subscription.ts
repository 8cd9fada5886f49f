import { isMap } from '@ext/kernel'
import type { JsonObject } from '@ext/kernel/contract'
import type { ClockPort } from '@ext/kernel/types'
import { Cancel, type CancelSignal } from '../../cancel.js'
import type { RequestId } from '../carrier.js'
import { pause, reopenAfter } from '../http/pause.js'
import { type AskOptions, givenUp } from '../requests.js'
import { Fault } from '../session.js'

/** Where a notice says which request it answers. */
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

export interface SubscriptionHost {
  readonly clock: ClockPort
  /** Changes that are told as long as it lasts. */
  readonly wants: JsonObject
  /** Asks for notices. Settles when the server tells no more. */
  listen(wants: JsonObject, options: AskOptions): Promise<unknown>
  /** What has changed until now may not have been told. */
  missed(): void
}

interface Waiter {
  readonly uri: string
  settle(fault?: Fault): void
}

/**
 * Has the server tell what changes (`subscriptions/listen` of MCP 2026-07-28), again when it stops to. Whatever becomes of
 * it, requests go on.
 */
export class Subscription {
  /** Why nothing is told, as the rest of a sentence about the server. */
  deaf: string | undefined
  readonly #host: SubscriptionHost
  readonly #end = new Cancel()
  /** Resources that somebody wants to hear of. */
  readonly #uris = new Set<string>()
  /** Those who want to know whether the server tells of one. */
  readonly #waiters = new Set<Waiter>()
  /** Ends the one that is open, because something else is wanted now. */
  #renew = new Cancel()
  #id: RequestId | undefined
  #failed = 0
  #keeping = false

  constructor(host: SubscriptionHost) {
    this.#host = host
    this.#wake()
  }

  /** Resolves when the server has taken it on. Rejects with a {@link Fault}. */
  watch(uri: string, signal: CancelSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(givenUp(signal, 'none'))
      const abort = () => {
        this.#uris.delete(uri)
        waiter.settle(givenUp(signal, 'unknown'))
      }
      const waiter: Waiter = {
        uri,
        settle: (fault) => {
          this.#waiters.delete(waiter)
          signal.removeEventListener('abort', abort)
          if (fault) reject(fault)
          else resolve()
        },
      }
      signal.addEventListener('abort', abort, { once: true })
      this.#waiters.add(waiter)
      this.#uris.add(uri)
      this.#changed()
    })
  }

  unwatch(uri: string): void {
    if (this.#uris.delete(uri)) this.#changed()
  }

  /**
   * The server has taken on what `params` say.
   * @param late something was read from it before
   */
  acknowledged(params: unknown, late: boolean): void {
    const { _meta: meta, notifications } = isMap(params) ? params : {}
    if (!isMap(meta) || meta[SUBSCRIPTION] !== this.#id) return
    this.deaf = undefined
    this.#failed = 0
    const told = isMap(notifications) ? notifications['resourceSubscriptions'] : undefined
    for (const waiter of [...this.#waiters]) {
      if (Array.isArray(told) && told.includes(waiter.uri)) waiter.settle()
      else {
        this.#uris.delete(waiter.uri)
        waiter.settle(new Fault('remote', 'does not tell when this resource changes'))
      }
    }
    if (late) this.#host.missed()
  }

  end(): void {
    this.#end.abort()
    this.#renew.abort()
    this.#refuse(new Fault('network', 'was closed'))
  }

  #changed(): void {
    this.#renew.abort()
    this.#wake()
  }

  #wake(): void {
    const isWanted = this.#uris.size > 0 || Object.keys(this.#host.wants).length > 0
    if (!isWanted || this.#keeping || this.#end.aborted) return
    this.#keeping = true
    void this.#keep().finally(() => {
      this.#keeping = false
    })
  }

  async #keep(): Promise<void> {
    const { clock, listen, wants } = this.#host
    while (!this.#end.aborted) {
      const renew = new Cancel()
      this.#renew = renew
      const uris = this.#uris.size > 0 ? { resourceSubscriptions: [...this.#uris] } : {}
      const onId = (id: RequestId) => {
        this.#id = id
      }
      const fault = await listen({ ...wants, ...uris }, { signal: renew, onId }).then(
        () => undefined,
        (error: unknown) => (error instanceof Fault ? error : new Fault('protocol', 'told nothing', { cause: error })),
      )
      if (this.#end.aborted) return
      if (renew.aborted) continue
      if (fault) this.deaf = `does not tell what changes: it ${fault.message}`
      if (fault?.kind === 'remote' || fault?.final) return this.#refuse(fault)
      await pause(clock, reopenAfter(undefined, this.#failed++), renew)
    }
  }

  #refuse(fault: Fault): void {
    this.#uris.clear()
    for (const waiter of [...this.#waiters]) waiter.settle(fault)
  }
}
