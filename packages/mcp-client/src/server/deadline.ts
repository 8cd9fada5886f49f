import type { ClockPort } from '@ext/kernel/types'
import { Cancel, type CancelSignal } from '../cancel.js'

export interface TimeLimits {
  /** From the last sign of life on. */
  readonly idleMs: number
  /** In all. Default: no other limit. */
  readonly totalMs?: number
  /** It keeps no program alive that has nothing else to wait for. */
  readonly background?: boolean
}

/** How long something is waited for. Ends by time, or when somebody aborts it; the two are told apart. */
export class Deadline {
  readonly #cancel = new Cancel()
  readonly #clock: ClockPort
  readonly #idleMs: number
  readonly #endsAt: number
  #signAt: number
  readonly #background: boolean
  #cancelTimer: () => void
  #timedOut: 'idle' | 'total' | undefined

  constructor(clock: ClockPort, { idleMs, totalMs = Number.POSITIVE_INFINITY, background = false }: TimeLimits) {
    this.#clock = clock
    this.#idleMs = idleMs
    this.#signAt = clock.now()
    this.#endsAt = this.#signAt + totalMs
    this.#background = background
    this.#cancelTimer = this.#wait(this.leftMs)
  }

  get signal(): CancelSignal {
    return this.#cancel
  }

  /** Which limit has passed, if one did. */
  get timedOut(): 'idle' | 'total' | undefined {
    return this.#timedOut
  }

  get leftMs(): number {
    return Math.max(0, Math.min(this.#signAt + this.#idleMs, this.#endsAt) - this.#clock.now())
  }

  /** A sign of life: the shorter limit starts again. */
  touch(): void {
    this.#signAt = this.#clock.now()
  }

  abort(): void {
    this.#cancel.abort()
  }

  /** To be called when it is over. */
  end(): void {
    this.#cancelTimer()
  }

  #wait(ms: number): () => void {
    return this.#clock.after(ms, () => this.#look(), { background: this.#background })
  }

  /** Signs of life do not move the timer, since there may be thousands a second: it looks when it falls due. */
  #look(): void {
    const left = this.leftMs
    if (left > 0) {
      this.#cancelTimer = this.#wait(left)
      return
    }
    this.#timedOut = this.#clock.now() >= this.#endsAt ? 'total' : 'idle'
    this.#cancel.abort()
  }
}
