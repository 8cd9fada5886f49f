/**
 * Lengths of time in configuration (`@ext/kernel/duration`).
 * @module
 */

/** A length of time, or why the text is none. */
export type Duration =
  | { readonly ms: number; readonly problem?: undefined }
  | { readonly ms?: undefined; readonly problem: string }

/** Timers of JavaScript end at 24.8 days and then fire at once; nothing that is configured waits for a day. */
const MAX_DURATION_MS: number = 24 * 60 * 60 * 1000

const FORM = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/

/**
 * Reads `500ms`, `30s`, `5m`, `1h30m`. A number without a unit is a problem, as are zero and more than a day. The problem
 * is the end of a sentence, without its full stop.
 * @param options.bareUnit what a number stands for in the dialect that is read; it may then have a fraction
 */
export function parseDuration(value: unknown, options: { readonly bareUnit?: 's' | 'ms' } = {}): Duration {
  if (typeof value === 'number') {
    if (options.bareUnit !== undefined) return checked(options.bareUnit === 's' ? value * 1000 : value)
    return { problem: `${value} has no unit; write "${value}s" for seconds or "${value}ms" for milliseconds` }
  }
  const parts = typeof value === 'string' && value !== '' ? FORM.exec(value) : null
  if (!parts) return { problem: 'a duration looks like "500ms", "30s", "5m" or "1h30m"' }
  const [hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = parts.slice(1).map((digits) => Number(digits ?? 0))
  return checked(((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds)
}

function checked(ms: number): Duration {
  if (ms === 0) return { problem: 'zero would be over before it starts' }
  if (ms > MAX_DURATION_MS) return { problem: 'the longest possible duration is 24h' }
  if (!(ms > 0)) return { problem: 'a duration is a number above zero' }
  return { ms }
}

/** `30s`, `1.5s`, `250ms`: for messages. */
export function formatDuration(ms: number): string {
  return ms < 1000 ? `${ms}ms` : `${ms / 1000}s`
}
