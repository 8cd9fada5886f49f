import type { SchemaValidator } from '@ext/kernel/ajv'
import { connect } from '../connect/connect.js'
import type { Patience } from '../connect/session.js'
import type { ServerHost } from '../server/host.js'
import type { McpClientOptions } from '../types.js'
import type { Guard } from './guard.js'
import { memoryPins } from './pins.js'

/** A message may be this long; it is held in memory as a whole. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024
const WAIT_MS = 1000
const GRACE_MS = 2000
const ASKING = { maxTokens: 4096, perMinute: 30, withinMs: 600_000 }

/** What all servers of a client share. */
export function serverHost(
  options: McpClientOptions,
  { guard, changed, totalMs }: { readonly guard: Guard; readonly totalMs: number; changed(): void },
): ServerHost {
  const { ports, clientInfo, fetch, onLog, logLevel, pins = memoryPins(), spill, whenDown = 'hide', ending } = options
  const { sampling, elicitation, roots, asking } = options
  const { clock, process } = ports
  let validator: Promise<SchemaValidator> | undefined
  const loadValidator = async () => (await import('@ext/kernel/ajv')).createSchemaValidator()
  return {
    clock,
    chance: Math.random,
    connect: (endpoint, session) =>
      connect(endpoint, {
        process,
        clock,
        ...(fetch ? { fetch } : {}),
        clientInfo,
        maxMessageBytes: MAX_MESSAGE_BYTES,
        ...session,
      }),
    validator() {
      validator ??= loadValidator()
      return validator
    },
    pins,
    ...(spill ? { spill } : {}),
    whenDown,
    ...(onLog ? { onLog: (...heard: Parameters<typeof onLog>) => guard.call('onLog', () => onLog(...heard)) } : {}),
    ...(logLevel ? { logLevel } : {}),
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
