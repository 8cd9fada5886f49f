import type { CompiledServer } from '../compiled.js'
import type { Breaker, KeepAlive, Reconnect, ServerEntry } from '../config/entry.js'
import type { ServerDefaults } from '../types.js'

/** What holds for servers about which nobody says anything. */
const DEFAULTS = {
  connectMs: 30_000,
  listMs: 30_000,
  callMs: 60_000,
  totalMs: 600_000,
  concurrency: 16,
  maxResultBytes: 262_144,
} as const
const KEEP_ALIVE: KeepAlive = { intervalMs: 30_000, timeoutMs: 10_000 }
const RECONNECT: Reconnect = { attempts: 5, minMs: 500, maxMs: 30_000 }
const BREAKER: Breaker = { failures: 5, cooldownMs: 30_000 }

type Settled = Pick<
  CompiledServer,
  'connectMs' | 'callMs' | 'listMs' | 'totalMs' | 'keepAlive' | 'reconnect' | 'limits'
>

/** The limits of a server: the entry's word, else the host's, else the default, field by field. */
export function settleAll({ timeouts, tools, limits, ...entry }: ServerEntry, host: ServerDefaults): Settled {
  const defaults = { ...DEFAULTS, ...host }
  const keepAlive = settle(entry.keepAlive, host.keepAlive, KEEP_ALIVE)
  const breaker = settle(limits.breaker, host.breaker, BREAKER)
  const rate = limits.rate ?? host.rate
  // Whoever gives one call more time than all of it may take by default means the call to have it.
  const longest = Math.max(timeouts.callMs ?? 0, ...tools.perTool.map(({ callMs = 0 }) => callMs))
  return {
    connectMs: timeouts.connectMs ?? defaults.connectMs,
    listMs: timeouts.listMs ?? defaults.listMs,
    callMs: timeouts.callMs ?? defaults.callMs,
    totalMs: timeouts.totalMs ?? Math.max(defaults.totalMs, longest),
    ...(keepAlive ? { keepAlive } : {}),
    reconnect: settleReconnect(entry.reconnect, host.reconnect),
    limits: {
      ...(rate ? { rate } : {}),
      concurrency: limits.concurrency ?? defaults.concurrency,
      ...(breaker ? { breaker } : {}),
      maxResultBytes: limits.maxResultBytes ?? defaults.maxResultBytes,
    },
  }
}

/** `false` switches off; an entry that says anything else switches on what the host has off. */
function settle<T extends object>(
  entry: Partial<T> | false | undefined,
  host: T | false | undefined,
  fallback: T,
): T | undefined {
  if (entry === false || (entry === undefined && host === false)) return undefined
  return { ...fallback, ...(host || {}), ...entry }
}

/** The shortest wait is not longer than the longest; whoever says only one of them means that one. */
function settleReconnect(entry: Partial<Reconnect> | undefined, host: Partial<Reconnect> | undefined): Reconnect {
  const { attempts, minMs, maxMs } = { ...RECONNECT, ...host, ...entry }
  return entry?.minMs === undefined
    ? { attempts, minMs: Math.min(minMs, maxMs), maxMs }
    : { attempts, minMs, maxMs: Math.max(minMs, maxMs) }
}
