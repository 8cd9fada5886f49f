import type { ClockPort } from '@ext/kernel/types'
import { Cancel, type CancelSignal } from '../../cancel.js'
import { pause, reopenAfter } from '../http/pause.js'
import { Fault } from '../session.js'

export interface SubscriptionHost {
  readonly clock: ClockPort
  /** Asks for notices. Settles when the server tells no more. */
  listen(signal: CancelSignal): Promise<unknown>
  /** What has changed until now may not have been told. */
  missed(): void
}

/**
 * Has the server tell what changes (`subscriptions/listen` of MCP 2026-07-28), again when it stops to. Whatever becomes of
 * it, requests go on.
 */
export class Subscription {
  /** Why nothing is told, as the rest of a sentence about the server. */
  deaf: string | undefined
  readonly #host: SubscriptionHost
  readonly #cancel = new Cancel()
  #failed = 0

  constructor(host: SubscriptionHost) {
    this.#host = host
    void this.#keep()
  }

  /**
   * The server has taken it on.
   * @param late something was read from it before
   */
  acknowledged(late: boolean): void {
    this.deaf = undefined
    this.#failed = 0
    if (late) this.#host.missed()
  }

  end(): void {
    this.#cancel.abort()
  }

  async #keep(): Promise<void> {
    const { clock, listen } = this.#host
    while (!this.#cancel.aborted) {
      const fault = await listen(this.#cancel).then(
        () => undefined,
        (error: unknown) => (error instanceof Fault ? error : new Fault('protocol', 'told nothing', { cause: error })),
      )
      if (this.#cancel.aborted) return
      if (fault) this.deaf = `does not tell what changes: it ${fault.message}`
      if (fault?.kind === 'remote' || fault?.final) return
      await pause(clock, reopenAfter(undefined, this.#failed++), this.#cancel)
    }
  }
}
