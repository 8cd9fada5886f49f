import type { Attributes, Meter } from '@opentelemetry/api'
import type { SpanAttributes } from '../trace.js'

/** Counts and measures a span that has ended. */
export type Measure = (name: string, attributes: SpanAttributes, seconds: number, error: string | undefined) => void

/** What may tell values of a metric apart: names that are few. Ids are none. */
const KEYS = [
  'gen_ai.operation.name',
  'gen_ai.request.model',
  'gen_ai.agent.name',
  'gen_ai.tool.name',
  'gen_ai.prompt.name',
  'ext.tool.server',
  'ext.permission.decision',
  'ext.hook.event',
  'ext.hook.name',
  'ext.hook.outcome',
  'ext.mcp.server',
  'mcp.method.name',
  'mcp.protocol.version',
  'network.transport',
  'rpc.response.status_code',
] as const

/** Bounds of the conventions for durations, those of requests to MCP servers, and tokens. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const REQUEST_SECONDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864]

/** Durations hold the counts as well: a histogram counts what it has measured. */
export function createMetrics(meter: Meter): Measure {
  const duration = (name: string, description: string, explicitBucketBoundaries = SECONDS) =>
    meter.createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries } })
  const operations = duration('gen_ai.client.operation.duration', 'Model calls, tool calls and runs of agents.')
  const own: Readonly<Record<string, ReturnType<typeof duration>>> = {
    'ext.permission.decide': duration(
      'ext.permission.decide.duration',
      'Decisions of the gate, with the wait for a person.',
    ),
    'ext.hook.dispatch': duration('ext.hook.dispatch.duration', 'Events for which hooks ran.'),
    'ext.hook.run': duration('ext.hook.run.duration', 'Runs of single hooks.'),
    'ext.mcp.connect': duration('ext.mcp.connect.duration', 'Connections to MCP servers, until they are ready.'),
  }
  const requests = duration(
    'mcp.client.operation.duration',
    'Requests to MCP servers, until they are answered.',
    REQUEST_SECONDS,
  )
  const tokens = meter.createHistogram('gen_ai.client.token.usage', {
    unit: '{token}',
    description: 'Tokens of model calls.',
    advice: { explicitBucketBoundaries: TOKENS },
  })
  const cost = meter.createCounter('ext.model.cost', {
    unit: 'USD',
    description: 'Cost of model calls, where it is known.',
  })

  return (name, attributes, seconds, error) => {
    const told: Attributes = error === undefined ? {} : { 'error.type': error }
    for (const key of KEYS) if (attributes[key] !== undefined) told[key] = attributes[key]
    const isOperation = attributes['gen_ai.operation.name'] !== undefined
    const others = attributes['mcp.method.name'] !== undefined ? requests : isOperation ? operations : undefined
    const histogram = Object.hasOwn(own, name) ? own[name] : others
    histogram?.record(seconds, told)
    for (const type of ['input', 'output']) {
      const amount = attributes[`gen_ai.usage.${type}_tokens`]
      if (typeof amount === 'number') tokens.record(amount, { ...told, 'gen_ai.token.type': type })
    }
    const spent = attributes['ext.usage.cost_usd']
    if (typeof spent === 'number') cost.add(spent, told)
  }
}
