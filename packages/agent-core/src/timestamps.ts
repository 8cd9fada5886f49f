import type { ClockPort } from '@ext/kernel/types'

/** The time as ISO 8601. Many events come in one millisecond, and to write it out costs more than the rest of an event. */
export function timestamps(clock: ClockPort): () => string {
  let at = Number.NaN
  let text = ''
  return () => {
    const now = clock.now()
    if (now !== at) {
      at = now
      text = new Date(now).toISOString()
    }
    return text
  }
}
