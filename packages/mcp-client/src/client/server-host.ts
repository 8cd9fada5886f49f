import type { SchemaValidator } from '@ext/kernel/ajv'
import { connect } from '../connect/connect.js'
import { Eras } from '../connect/eras.js'
import type { Patience } from '../connect/session.js'
import { Aborts } from '../server/aborts.js'
import type { ServerHost } from '../server/host.js'
import type { CallFacts, McpClientOptions } from '../types.js'
import type { Guard } from './guard.js'
import { memoryPins } from './pins.js'
import { guardedTracer } from './tracing.js'

/** A message may be this long; it is held in memory as a whole. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024
const WAIT_MS = 1000
const GRACE_MS = 2000
const CACHE_MS = 7 * 24 * 60 * 60 * 1000
const ASKING = { maxTokens: 4096, perMinute: 30, withinMs: 600_000 }

interface Shared extends Pick<ServerHost, 'usage' | 'changed'> {
  readonly guard: Guard
  /** How long ending all servers may take. */
  readonly totalMs: number
}

/** What all servers of a client share. */
export function serverHost(options: McpClientOptions, { guard, usage, changed, totalMs }: Shared): ServerHost {
  const { ports, clientInfo, fetch, onLog, logLevel, onCall, pins = memoryPins(), spill, whenDown = 'hide' } = options
  const { sampling, elicitation, roots, asking, ending, tracer } = options
  const { toolCache, toolCacheMaxAgeMs = CACHE_MS, provider } = options
  const { clock, process } = ports
  const eras = new Eras()
  let validator: Promise<SchemaValidator> | undefined
  const loadValidator = async () => (await import('@ext/kernel/ajv')).createSchemaValidator()
  return {
    clock,
    aborts: new Aborts(),
    chance: Math.random,
    connect: (endpoint, session) =>
      connect(endpoint, {
        process,
        clock,
        ...(fetch ? { fetch } : {}),
        clientInfo,
        eras,
        maxMessageBytes: MAX_MESSAGE_BYTES,
        ...session,
      }),
    validator() {
      validator ??= loadValidator()
      return validator
    },
    pins,
    toolCache,
    toolCacheMaxAgeMs,
    provider,
    usage,
    ...(spill ? { spill } : {}),
    whenDown,
    ...(onLog ? { onLog: (...heard: Parameters<typeof onLog>) => guard.call('onLog', () => onLog(...heard)) } : {}),
    ...(logLevel ? { logLevel } : {}),
    ...(onCall ? { onCall: (facts: CallFacts) => guard.call('onCall', () => onCall(facts)) } : {}),
    ...(tracer ? { draw: guardedTracer(tracer, guard) } : {}),
    asking: { sampling, elicitation, limits: { ...ASKING, ...asking } },
    roots: (server) => roots?.(server),
    listen: (name, listener) => guard.call(name, listener),
    patience: patienceOf(ending, totalMs),
    changed,
  }
}

/** So that KILL comes before the time is up. */
function patienceOf(
  { waitMs = WAIT_MS, graceMs = GRACE_MS }: McpClientOptions['ending'] = {},
  totalMs: number,
): Patience {
  const wait = Math.min(waitMs, totalMs)
  return { waitMs: wait, graceMs: Math.min(graceMs, totalMs - wait) }
}
