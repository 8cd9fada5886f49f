import type { ClockPort } from '../types.js'

/** The longest wait that a timer of Node takes; more would fire at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1

/** The clock of this machine. Waits beyond 24.8 days end there. */
export function nodeClock(): ClockPort {
  return {
    now: () => Date.now(),
    after(ms, fn, { background = false } = {}) {
      const timer = setTimeout(fn, Math.min(ms, MAX_TIMER_MS))
      if (background) timer.unref()
      return () => clearTimeout(timer)
    },
  }
}
