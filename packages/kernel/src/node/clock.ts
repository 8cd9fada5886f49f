import type { ClockPort } from '../types.js'

export function nodeClock(): ClockPort {
  return {
    now: () => Date.now(),
    after(ms, fn) {
      const timer = setTimeout(fn, ms)
      return () => clearTimeout(timer)
    },
  }
}
