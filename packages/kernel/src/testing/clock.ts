import type { ClockPort } from '../types.js'

/** A clock that stands still until it is moved. */
export interface FakeClock extends ClockPort {
  /** Moves time on and calls what falls due, in order of time. */
  advance(ms: number): void
  /** Timers that wait: a test can show that none is left. */
  readonly pending: number
}

/** @param start milliseconds since the epoch */
export function fakeClock(start = 0): FakeClock {
  let now = start
  const timers = new Set<{ readonly at: number; readonly fn: () => void }>()
  return {
    now: () => now,
    after(ms, fn) {
      const timer = { at: now + ms, fn }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance(ms) {
      const end = now + ms
      for (;;) {
        const due = [...timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0]
        if (!due) break
        timers.delete(due)
        now = due.at
        due.fn()
      }
      now = end
    },
    get pending() {
      return timers.size
    },
  }
}
