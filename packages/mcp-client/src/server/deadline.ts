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

/** However long a person takes, in all: what waits for them holds resources of a server. */
const MAX_PAUSED_MS = 3_600_000

/** How long something is waited for. Ends by time, or when somebody aborts it; the two are told apart. */
export class Deadline {
  readonly #cancel = new Cancel()
  readonly #clock: ClockPort
  readonly #idleMs: number
  #endsAt: number
  #signAt: number
  readonly #background: boolean
  #cancelTimer: () => void
  #timedOut: 'idle' | 'total' | undefined
  #isOver = false
  #pauses = 0
  #pausedAt = 0
  #pausedMs = 0

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
    return Math.max(0, Math.min(this.#signAt + this.#idleMs, this.#endsAt) - this.#now())
  }

  /** A sign of life: the shorter limit starts again. */
  touch(): void {
    this.#signAt = this.#now()
  }

  /** The time does not count until what is returned is called, for an hour in all. */
  pause(): () => void {
    if (this.#pauses++ === 0) this.#pausedAt = this.#clock.now()
    let over = false
    return () => {
      if (over) return
      over = true
      if (--this.#pauses === 0) this.#resume()
    }
  }

  abort(): void {
    this.#isOver = true
    this.#cancel.abort()
  }

  /** To be called when it is over. */
  end(): void {
    this.#isOver = true
    this.#cancelTimer()
  }

  /** As it would be without the pauses that are still going on. */
  #now(): number {
    const now = this.#clock.now()
    return this.#pauses === 0 ? now : now - this.#pauseMs(now)
  }

  #pauseMs(now: number): number {
    return Math.min(Math.max(0, now - this.#pausedAt), MAX_PAUSED_MS - this.#pausedMs)
  }

  #resume(): void {
    const ms = this.#pauseMs(this.#clock.now())
    this.#pausedMs += ms
    this.#signAt += ms
    this.#endsAt += ms
    if (this.#isOver) return
    this.#cancelTimer()
    this.#cancelTimer = this.#wait(this.leftMs)
  }

  #wait(ms: number): () => void {
    return this.#clock.after(ms, () => this.#look(), { background: this.#background })
  }

  /** Signs of life do not move the timer, since there may be thousands a second: it looks when it falls due. */
  #look(): void {
    const left = this.leftMs
    if (left > 0) {
      // While it is paused nothing can fall due before the longest pause is over.
      const pause = this.#pauses === 0 ? 0 : MAX_PAUSED_MS - this.#pausedMs - this.#pauseMs(this.#clock.now())
      this.#cancelTimer = this.#wait(left + pause)
      return
    }
    this.#isOver = true
    this.#timedOut = this.#now() >= this.#endsAt ? 'total' : 'idle'
    this.#cancel.abort()
  }
}
