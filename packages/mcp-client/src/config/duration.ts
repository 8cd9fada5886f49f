const UNITS = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const

/** Milliseconds of `500ms`, `30s`, `5m` or `1h30m`; `undefined` for anything else, zero included. */
export function parseDuration(text: string): number | undefined {
  const match = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/.exec(text)
  if (!match) return undefined
  const [, h = 0, m = 0, s = 0, ms = 0] = match.map((part) => (part === undefined ? undefined : Number(part)))
  const total = h * UNITS.h + m * UNITS.m + s * UNITS.s + ms * UNITS.ms
  // Timers of the platform count in 31 bits.
  return total > 0 && total < 2 ** 31 ? total : undefined
}
