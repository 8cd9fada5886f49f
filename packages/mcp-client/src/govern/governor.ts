import type { ClockPort } from '@ext/kernel/types'
import type { CancelSignal } from '../cancel.js'
import type { ServerLimits } from '../compiled.js'
import { Breaker, type Health } from './breaker.js'
import { TokenBucket } from './bucket.js'

/** A call may begin. */
export interface Turn {
  readonly refused?: undefined
  readonly waitedMs: number
  /** To be called once, when the call is over. */
  end(health: Health): void
}

/** A call may not begin. `retryMs` is when it is worth another try; absent: nobody knows. */
export interface Refused {
  readonly refused: 'breaker' | 'rate' | 'concurrency'
  readonly retryMs?: number
}

type GovernorLimits = Pick<ServerLimits, 'rate' | 'concurrency' | 'breaker'>

interface Waiter {
  readonly since: number
  readonly settle: (answer: Turn | Refused) => void
}

/**
 * Says when calls to one server may begin: so many at a time, so many per second, none while it fails again and again.
 * Whoever waits is served in the order of coming.
 */
export class Governor {
  readonly #clock: ClockPort
  readonly #breaker: Breaker
  readonly #bucket: TokenBucket
  readonly #onBreaker: () => void
  #concurrency: number
  #running = 0
  readonly #waiting = new Set<Waiter>()
  #cancelTimer: (() => void) | undefined

  /** @param onBreaker the breaker has opened or closed */
  constructor(limits: GovernorLimits, clock: ClockPort, onBreaker: () => void = () => {}) {
    this.#clock = clock
    this.#breaker = new Breaker(limits.breaker)
    this.#bucket = new TokenBucket(limits.rate, clock.now())
    this.#concurrency = limits.concurrency
    this.#onBreaker = onBreaker
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Whether calls are refused because the server failed again and again. */
  get isOpen(): boolean {
    return this.#breaker.isOpen
  }

  setLimits({ breaker, rate, concurrency }: GovernorLimits): void {
    this.#breaker.limits = breaker
    this.#bucket.setRate(rate, this.#clock.now())
    this.#concurrency = concurrency
    this.#admit()
  }

  /** What has failed so far counts no more; calls are not refused for it. */
  forgive(): void {
    const was = this.#breaker.isOpen
    this.#breaker.forgive()
    this.#admit()
    if (was) this.#onBreaker()
  }

  /**
   * Waits for a turn. A wait that is known to be too long is refused at once.
   * @param options.withinMs longest wait
   * @throws the signal's reason when it aborts
   */
  enter({ withinMs, signal }: { readonly withinMs: number; readonly signal: CancelSignal }): Promise<Turn | Refused> {
    signal.throwIfAborted()
    const now = this.#clock.now()
    const open = this.#breaker.waitMs(now)
    if (open > 0) return Promise.resolve({ refused: 'breaker', retryMs: open })
    if (this.#waiting.size === 0 && this.#isFree(now)) return Promise.resolve(this.#begin(now))
    const retryMs = this.#bucket.waitMs(now, this.#waiting.size)
    if (retryMs > withinMs) return Promise.resolve({ refused: 'rate', retryMs })
    return this.#wait(now, withinMs, signal)
  }

  #wait(since: number, withinMs: number, signal: CancelSignal): Promise<Turn | Refused> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiter)
        cancelLimit()
        signal.removeEventListener('abort', abort)
      }
      const waiter: Waiter = {
        since,
        settle: (answer) => {
          leave()
          resolve(answer)
        },
      }
      const abort = () => {
        leave()
        reject(signal.reason)
        // Those behind have moved up.
        this.#admit()
      }
      const cancelLimit = this.#clock.after(withinMs, () => {
        waiter.settle({ refused: this.#running >= this.#concurrency ? 'concurrency' : 'rate' })
        this.#admit()
      })
      signal.addEventListener('abort', abort, { once: true })
      this.#waiting.add(waiter)
      this.#admit()
    })
  }

  #isFree(now: number): boolean {
    return this.#running < this.#concurrency && this.#bucket.waitMs(now) === 0
  }

  /** Lets in whoever can begin now, and sees to it that the next one is thought of. */
  #admit(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    for (const waiter of this.#waiting) {
      const now = this.#clock.now()
      const open = this.#breaker.waitMs(now)
      if (open > 0) waiter.settle({ refused: 'breaker', retryMs: open })
      else if (this.#isFree(now)) waiter.settle(this.#begin(waiter.since))
      else {
        // A slot that is taken calls from `end`; a token comes by itself.
        const tokenMs = this.#bucket.waitMs(now)
        if (this.#running < this.#concurrency) this.#cancelTimer = this.#clock.after(tokenMs, () => this.#admit())
        return
      }
    }
  }

  #begin(since: number): Turn {
    const now = this.#clock.now()
    this.#running++
    this.#bucket.take()
    const tell = this.#breaker.begin()
    let over = false
    return {
      waitedMs: now - since,
      end: (health) => {
        if (over) return
        over = true
        this.#running--
        const was = this.#breaker.isOpen
        tell(health, this.#clock.now())
        this.#admit()
        if (was !== this.#breaker.isOpen) this.#onBreaker()
      },
    }
  }
}
