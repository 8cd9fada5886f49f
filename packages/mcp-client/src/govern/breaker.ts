import type { Breaker as BreakerLimits } from '../config/entry.js'

/** What a call says about the health of its server. `unknown`: nothing, because the caller gave up. */
export type Health = 'good' | 'bad' | 'unknown'

/**
 * Keeps calls from a server that fails again and again: after so many failures in a row they are refused for a while, then
 * one is let through to see. Not cockatiel's: that one has its own clock, and while a call is let through to see, the
 * others wait for it instead of being told.
 */
export class Breaker {
  #limits: BreakerLimits | undefined
  #failures = 0
  /** When it opened; calls that began before say nothing any more. */
  #openedAt: number | undefined
  /** Counts how often it opened or closed. */
  #turn = 0
  #probing = false

  constructor(limits: BreakerLimits | undefined) {
    this.#limits = limits
  }

  /** Takes other limits over. Without limits it lets everything through. */
  set limits(limits: BreakerLimits | undefined) {
    this.#limits = limits
    if (!limits) this.#close()
  }

  /** Closes it, and counts from 0. */
  forgive(): void {
    this.#close()
  }

  get isOpen(): boolean {
    return this.#openedAt !== undefined
  }

  /** Milliseconds until the next call may be tried; 0 if one may begin now. */
  waitMs(now: number): number {
    if (this.#openedAt === undefined || !this.#limits) return 0
    const left = this.#openedAt + this.#limits.cooldownMs - now
    // Whoever comes while one is tried has to wait for what comes of it; nobody knows how long.
    return this.#probing ? Math.max(left, 1) : Math.max(left, 0)
  }

  /** A call begins. Only when `waitMs` is 0. Returns what is to be called, once, when it is over. */
  begin(): (health: Health, now: number) => void {
    const turn = this.#turn
    const probe = this.isOpen
    if (probe) this.#probing = true
    return (health, now) => {
      if (turn !== this.#turn) return
      if (probe) this.#probing = false
      if (health === 'good') this.#close()
      else if (health === 'bad' && this.#limits && (probe || ++this.#failures >= this.#limits.failures)) this.#open(now)
    }
  }

  #open(now: number): void {
    this.#openedAt = now
    this.#turn++
  }

  #close(): void {
    this.#failures = 0
    if (this.#openedAt === undefined) return
    this.#openedAt = undefined
    this.#probing = false
    this.#turn++
  }
}
