import type { Breaker, KeepAlive, Reconnect } from '../config/entry.js'
import type { ServerDefaults } from '../types.js'

/** What holds for servers about which nobody says anything. */
export const DEFAULTS: {
  readonly connectMs: number
  readonly listMs: number
  readonly callMs: number
  readonly totalMs: number
  readonly keepAlive: KeepAlive
  readonly reconnect: Reconnect
  readonly concurrency: number
  readonly breaker: Breaker
  readonly maxResultBytes: number
} = {
  connectMs: 30_000,
  listMs: 30_000,
  callMs: 60_000,
  totalMs: 600_000,
  keepAlive: { intervalMs: 30_000, timeoutMs: 10_000 },
  reconnect: { attempts: 5, minMs: 500, maxMs: 30_000 },
  concurrency: 16,
  breaker: { failures: 5, cooldownMs: 30_000 },
  maxResultBytes: 262_144,
}

/** The entry's word, then the host's, then the default; field by field. `false` switches off. */
export function settle<T extends object>(
  entry: Partial<T> | false | undefined,
  host: T | false | undefined,
  fallback: T,
): T | undefined {
  if (entry === false || (entry === undefined && host === false)) return undefined
  return { ...fallback, ...(host || {}), ...entry }
}

/** Waits of which the shortest is not longer than the longest. */
export function settleReconnect(entry: Partial<Reconnect> | undefined, host: ServerDefaults['reconnect']): Reconnect {
  const { attempts, minMs, maxMs } = { ...DEFAULTS.reconnect, ...host, ...entry }
  // Whoever says only one of the two means that one.
  return entry?.minMs === undefined
    ? { attempts, minMs: Math.min(minMs, maxMs), maxMs }
    : { attempts, minMs, maxMs: Math.max(minMs, maxMs) }
}
