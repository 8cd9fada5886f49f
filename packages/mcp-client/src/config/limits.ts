import type { Breaker, EntryLimits, EntryTimeouts, KeepAlive, Rate, Reconnect } from './entry.js'
import { type Parts, present } from './parts.js'

/** A larger message is not taken at all, so more of a result can't be kept. */
const MAX_RESULT_BYTES = 64 * 1024 ** 2

export function readTimeouts(parts: Parts): EntryTimeouts {
  const timeouts = present({
    connectMs: parts.duration('/timeout/connect'),
    listMs: parts.duration('/timeout/list'),
    callMs: parts.duration('/timeout/call'),
    totalMs: parts.duration('/timeout/total'),
  })
  const { callMs, totalMs } = timeouts
  if (callMs !== undefined && totalMs !== undefined && totalMs < callMs) {
    const message = '`timeout.total` is shorter than `timeout.call`, so calls end before that.'
    parts.notes.warning('mcp.timeout.order', '/timeout/total', message, 'Make `total` the longer of the two.')
  }
  return timeouts
}

export function readKeepAlive(parts: Parts): Partial<KeepAlive> | false | undefined {
  if (parts.at('/keepAlive') === false) return false
  if (parts.at('/keepAlive') === undefined) return undefined
  return present({
    intervalMs: parts.duration('/keepAlive/interval'),
    timeoutMs: parts.duration('/keepAlive/timeout'),
  })
}

export function readReconnect(parts: Parts): Partial<Reconnect> {
  if (parts.at('/reconnect') === false) return { attempts: 0 }
  const reconnect = present({
    attempts: parts.number('/reconnect/attempts'),
    minMs: parts.duration('/reconnect/backoff/min'),
    maxMs: parts.duration('/reconnect/backoff/max'),
  })
  const { minMs, maxMs } = reconnect
  if (minMs !== undefined && maxMs !== undefined && maxMs < minMs) {
    const message = '`reconnect.backoff.max` is shorter than `min`.'
    parts.notes.error('mcp.timeout.order', '/reconnect/backoff/max', message, 'Make `max` the longer of the two.')
  }
  return reconnect
}

export function readLimits(parts: Parts): EntryLimits {
  return present({
    rate: readRate(parts),
    concurrency: parts.number('/limits/concurrency'),
    breaker: readBreaker(parts),
    maxResultBytes: parts.size('/limits/maxResult', MAX_RESULT_BYTES),
  })
}

function readRate(parts: Parts): Rate | undefined {
  const perSecond = parts.number('/limits/rate/perSecond')
  if (perSecond === undefined) return undefined
  return { perSecond, burst: parts.number('/limits/rate/burst') ?? Math.max(1, Math.ceil(perSecond)) }
}

function readBreaker(parts: Parts): Partial<Breaker> | false | undefined {
  if (parts.at('/limits/breaker') === false) return false
  if (parts.at('/limits/breaker') === undefined) return undefined
  return present({
    failures: parts.number('/limits/breaker/failures'),
    cooldownMs: parts.duration('/limits/breaker/cooldown'),
  })
}
