import type { ClockPort } from '@ext/kernel/types'
import type { Patience } from '../session.js'

/** How long the server may take, in milliseconds. */
const WAIT_MS = 1000

/** The end of a session, which happens once and can be hurried. */
export class Farewell {
  readonly #clock: ClockPort
  readonly #leave: (signal: AbortSignal) => Promise<void>
  readonly #deadline = new AbortController()
  #saying: Promise<void> | undefined

  /** @param leave ends the session; its signal aborts when nothing is to be waited for any longer */
  constructor(clock: ClockPort, leave: (signal: AbortSignal) => Promise<void>) {
    this.#clock = clock
    this.#leave = leave
  }

  get begun(): boolean {
    return this.#saying !== undefined
  }

  say(patience?: Patience): Promise<void> {
    const first = this.#saying === undefined
    this.#saying ??= this.#leave(this.#deadline.signal)
    if (first || patience) {
      const cancel = this.#clock.after(patience?.waitMs ?? WAIT_MS, () => this.#deadline.abort())
      void this.#saying.then(cancel)
    }
    return this.#saying
  }
}
