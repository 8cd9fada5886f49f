import type { Rate } from '../config/entry.js'

/** A token bucket: `burst` calls at once, and from then on `perSecond`. */
export class TokenBucket {
  #rate: Rate | undefined
  #tokens: number
  #filledAt: number

  /** @param rate without one there is always a token */
  constructor(rate: Rate | undefined, now: number) {
    this.#rate = rate
    this.#tokens = rate?.burst ?? 0
    this.#filledAt = now
  }

  /** Takes another rate over; what is in the bucket stays, as far as it fits. */
  setRate(rate: Rate | undefined, now: number): void {
    this.#fill(now)
    if (!this.#rate && rate) this.#tokens = rate.burst
    this.#rate = rate
    if (rate) this.#tokens = Math.min(this.#tokens, rate.burst)
  }

  /** Milliseconds until the token of the call that is `ahead` calls away is there; 0 if it is there now. */
  waitMs(now: number, ahead = 0): number {
    if (!this.#rate) return 0
    this.#fill(now)
    const missing = ahead + 1 - this.#tokens
    return missing <= 0 ? 0 : Math.ceil((missing / this.#rate.perSecond) * 1000)
  }

  /** Only when `waitMs` is 0. */
  take(): void {
    if (this.#rate) this.#tokens--
  }

  #fill(now: number): void {
    // A clock that goes back must not empty the bucket.
    const elapsed = Math.max(0, now - this.#filledAt)
    this.#filledAt = now
    // Rounding would otherwise leave a wait of the full length one token short by a hair.
    if (this.#rate)
      this.#tokens = Math.min(this.#rate.burst, this.#tokens + (elapsed * this.#rate.perSecond) / 1000 + 1e-9)
  }
}
