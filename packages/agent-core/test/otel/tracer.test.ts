import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { context, SpanKind, trace } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { describe, expect, it } from 'vitest'
import { auditFile } from '../../src/node/index.js'
import { openTelemetry } from '../../src/otel/index.js'
import type { AgentDefinition, Interceptor } from '../../src/types.js'
import { allowed, denied, echoTool, gate, hooks, modelOf, play, scripted } from '../kit.js'

const worker: AgentDefinition = { name: 'worker', description: 'Works.', prompt: 'Work.', model: 'child' }
const usage = { type: 'usage', inputTokens: 10, outputTokens: 2, costUsd: 0.5 } as const

async function telemetry() {
  const spans = new InMemorySpanExporter()
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
  const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 1_000_000 })
  const meterProvider = new MeterProvider({ readers: [reader] })
  return {
    tracerProvider,
    tracer: await openTelemetry({ tracerProvider, meterProvider }),
    spans: () => spans.getFinishedSpans(),
    /** Count and sum of each metric, by what tells its values apart. */
    async metrics() {
      await reader.forceFlush()
      const last = metrics.getMetrics().at(-1)
      const points = (last?.scopeMetrics ?? []).flatMap((scope) =>
        scope.metrics.flatMap(({ descriptor, dataPoints }) =>
          dataPoints.map(({ attributes, value }) => ({
            name: descriptor.name,
            unit: descriptor.unit,
            attributes,
            value: typeof value === 'number' ? value : { count: value.count, sum: value.sum },
          })),
        ),
      )
      await reader.shutdown()
      return points
    },
  }
}

/** A run with a call that is allowed, one that is denied, a failing tool of a server, and a sub-agent. */
async function everything() {
  const drawn = await telemetry()
  const audit = auditFile(join(realpathSync(mkdtempSync(join(tmpdir(), 'otel-'))), 'audit.jsonl'))
  const call = (id: string, name: string, input: object) => ({ type: 'tool_call', id, name, input }) as const
  const { session } = await play({
    model: modelOf(
      [
        usage,
        call('a', 'Echo', { text: 'a secret' }),
        call('b', 'No', { text: '2' }),
        call('c', 'mcp__s__fail', { text: '' }),
      ],
      [usage, call('d', 'agent', { type: 'worker', prompt: 'go' })],
      [usage, { type: 'text', text: 'last' }],
    ),
    models: () => scripted({ say: 'worked' }),
    agents: [worker],
    tools: [
      echoTool('Echo'),
      echoTool('No'),
      echoTool('mcp__s__fail', {
        source: { server: 's', tool: 'fail', trusted: true },
        run: async () => ({ content: [], isError: true }),
      }),
    ],
    interceptor: hooks(),
    gate: gate(({ call: { name } }) => (name === 'No' ? denied() : allowed())),
    audit,
    tracer: drawn.tracer,
  })
  return { ...drawn, session, audit }
}

describe('the spans of a run', () => {
  it('stand in each other as what they show does, all in one trace', async () => {
    const { spans, audit, session } = await everything()
    const all = spans()
    const byId = new Map(all.map((span) => [span.spanContext().spanId, span]))
    const paths = all.map((span) => {
      const names = [span.name]
      for (let at = span; ; ) {
        const above = byId.get(at.parentSpanContext?.spanId ?? '')
        if (!above) break
        names.unshift(above.name)
        at = above
      }
      return names.join(' → ')
    })
    expect([...new Set(paths)].sort()).toEqual([
      'invoke_agent',
      'invoke_agent → chat test-model',
      'invoke_agent → execute_tool Echo',
      'invoke_agent → execute_tool Echo → ext.hook.dispatch',
      'invoke_agent → execute_tool Echo → ext.permission.decide',
      'invoke_agent → execute_tool No',
      'invoke_agent → execute_tool No → ext.hook.dispatch',
      'invoke_agent → execute_tool No → ext.permission.decide',
      'invoke_agent → execute_tool agent',
      'invoke_agent → execute_tool agent → ext.hook.dispatch',
      'invoke_agent → execute_tool agent → ext.permission.decide',
      'invoke_agent → execute_tool mcp__s__fail',
      'invoke_agent → execute_tool mcp__s__fail → ext.hook.dispatch',
      'invoke_agent → execute_tool mcp__s__fail → ext.permission.decide',
      'invoke_agent → ext.hook.dispatch',
      'invoke_agent → invoke_agent worker',
      'invoke_agent → invoke_agent worker → chat scripted',
      'invoke_agent → invoke_agent worker → ext.hook.dispatch',
    ])
    const traces = new Set(all.map((span) => span.spanContext().traceId))
    expect(traces.size).toBe(1)
    const records = await audit.read()
    expect(records).toHaveLength(4)
    expect(new Set(records.map(({ trace_id }) => trace_id))).toEqual(traces)
    expect(all.find(({ name }) => name === 'invoke_agent')?.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': session.id,
    })
  })

  it('have the names of the conventions and no contents, and say what kind of error there was', async () => {
    const { spans } = await everything()
    const named = (name: string) => spans().filter((span) => span.name === name)
    expect(named('chat test-model')[0]).toMatchObject({
      kind: SpanKind.CLIENT,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'test-model',
        'gen_ai.usage.input_tokens': 10,
        'gen_ai.usage.output_tokens': 2,
        'ext.usage.cost_usd': 0.5,
      },
    })
    expect(named('execute_tool mcp__s__fail')[0]).toMatchObject({
      kind: SpanKind.INTERNAL,
      attributes: { 'gen_ai.tool.name': 'mcp__s__fail', 'ext.tool.server': 's', 'error.type': 'remote' },
      status: { code: 2 },
    })
    expect(named('ext.permission.decide').map(({ attributes }) => attributes['ext.permission.decision'])).toEqual([
      'allow',
      'deny',
      'allow',
      'allow',
    ])
    expect(JSON.stringify(spans().map(({ attributes, events, name }) => [attributes, events, name]))).not.toMatch(
      /secret|worked|last/,
    )
  })

  it('that know only their session are drawn in its run, while there is one', async () => {
    const { tracer, spans } = await telemetry()
    const attributes = { 'ext.hook.name': 'guard', 'ext.session.id': 's' }
    const run = tracer.start('invoke_agent', { attributes: { 'gen_ai.conversation.id': 's' } })
    tracer.start('ext.hook.run', { attributes }).end()
    run.end()
    tracer.start('ext.hook.run', { attributes }).end()
    const [first, agent, second] = spans()
    expect(first?.parentSpanContext?.spanId).toBe(agent?.spanContext().spanId)
    expect(second?.parentSpanContext).toBeUndefined()
  })

  it('say where they stand in the words of W3C Trace Context, and stand where they are told in these', async () => {
    const { tracer, spans } = await telemetry()
    const run = tracer.start('invoke_agent', { attributes: {} })
    tracer.start('ext.hook.run', { attributes: {}, ...(run.trace ? { within: run.trace } : {}) }).end()
    const far = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'vendor=x' }
    const below = tracer.start('tools/call echo', { attributes: { 'mcp.method.name': 'tools/call' }, within: far })
    const given = below.trace
    below.end()
    run.end()
    const [hook, call, agent] = spans()
    const at = agent?.spanContext()
    expect(run.trace).toEqual({ traceparent: `00-${at?.traceId}-${at?.spanId}-01` })
    expect(hook?.parentSpanContext?.spanId).toBe(at?.spanId)
    expect(call?.parentSpanContext?.spanId).toBe('b'.repeat(16))
    expect(call?.kind).toBe(SpanKind.CLIENT)
    expect(given).toEqual({
      traceparent: `00-${'a'.repeat(32)}-${call?.spanContext().spanId}-01`,
      tracestate: 'vendor=x',
    })
  })

  it.each(['', 'nonsense', `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`, `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`])(
    'that are told to stand at %j stand for themselves',
    async (traceparent) => {
      const { tracer, spans } = await telemetry()
      tracer.start('ext.hook.run', { attributes: {}, within: { traceparent } }).end()
      expect(spans()[0]?.parentSpanContext).toBeUndefined()
    },
  )

  it('stand in the one that the program names, if they stand in no other', async () => {
    const { tracerProvider, spans } = await telemetry()
    const within = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }
    const tracer = await openTelemetry({ tracerProvider, within })
    const run = tracer.start('invoke_agent', { attributes: { 'gen_ai.conversation.id': 's' } })
    tracer.start('ext.hook.run', { attributes: { 'ext.session.id': 's' } }).end()
    tracer.start('ext.mcp.connect', { attributes: {} }).end()
    run.end()
    const [hook, connect, agent] = spans()
    expect(hook?.parentSpanContext?.spanId).toBe(agent?.spanContext().spanId)
    for (const span of [agent, connect]) expect(span?.parentSpanContext?.spanId).toBe('b'.repeat(16))
  })

  it('have no ids where the program has set nothing up', async () => {
    const span = (await openTelemetry()).start('invoke_agent', { attributes: {} })
    expect([span.traceId, span.trace]).toEqual([undefined, undefined])
  })

  it('go to what the program has registered, if they are told nothing else', async () => {
    const exporter = new InMemorySpanExporter()
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
    trace.setGlobalTracerProvider(provider)
    try {
      const tracer = await openTelemetry()
      tracer.start('invoke_agent', { attributes: {} }).end()
      expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(['invoke_agent'])
    } finally {
      trace.disable()
      context.disable()
    }
  })
})

describe('what others are told of the spans', () => {
  it('is that of the call for its tool, and that of the event for its hooks, which begins when they ask', async () => {
    const { tracer, spans } = await telemetry()
    const told: (string | undefined)[] = []
    const tool = echoTool('Echo', {
      run: async (_input, { trace }) => {
        told.push(trace?.traceparent)
        return { content: [], isError: false }
      },
    })
    const deaf: string[] = []
    const interceptor: Interceptor = {
      session: () => ({
        fire(event, _payload, options) {
          if (event === 'PreToolUse') told.push(options.trace?.traceparent)
          else deaf.push(event)
          return event === 'PreToolUse' ? Promise.resolve({ runs: [], context: [], notices: [] }) : undefined
        },
      }),
    }
    const model = modelOf([{ type: 'tool_call', id: 'a', name: 'Echo', input: { text: '' } }], [])
    await play({ model, tools: [tool], interceptor, tracer })
    const idOf = (name: string) => {
      const found = spans().filter((span) => span.name === name)
      expect(found).toHaveLength(1)
      return found[0]?.spanContext().spanId
    }
    expect(told.map((each) => each?.slice(36, 52))).toEqual([idOf('ext.hook.dispatch'), idOf('execute_tool Echo')])
    expect(deaf).toContain('SessionStart')
  })

  it('is nothing where nobody draws', async () => {
    const told: unknown[] = []
    const interceptor: Interceptor = {
      session: () => ({
        fire(_event, _payload, options) {
          told.push(options.trace)
          return undefined
        },
      }),
    }
    const tool = echoTool('Echo', {
      run: async (_input, { trace }) => {
        told.push(trace)
        return { content: [], isError: false }
      },
    })
    const model = modelOf([{ type: 'tool_call', id: 'a', name: 'Echo', input: { text: '' } }], [])
    await play({ model, tools: [tool], interceptor })
    expect(told.length).toBeGreaterThan(5)
    expect(new Set(told)).toEqual(new Set([undefined]))
  })
})

describe('the metrics of a run', () => {
  it('count requests to servers apart, and nothing that is no operation', async () => {
    const { tracer, metrics } = await telemetry()
    const attributes = {
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'echo',
      'ext.mcp.server': 's',
      'jsonrpc.request.id': '7',
    }
    tracer.start('tools/call echo', { attributes }).end('tool_error')
    tracer.start('ext run', { attributes: {} }).end()
    const { 'jsonrpc.request.id': _, ...told } = attributes
    expect(await metrics()).toMatchObject([
      {
        name: 'mcp.client.operation.duration',
        unit: 's',
        attributes: { ...told, 'error.type': 'tool_error' },
        value: { count: 1 },
      },
    ])
  })

  it('count and measure, and tokens and cost add up', async () => {
    const { metrics } = await everything()
    const points = await metrics()
    const sumOf = (name: string, wanted: object) =>
      points
        .filter((point) => point.name === name)
        .filter(({ attributes }) => Object.entries(wanted).every(([key, value]) => attributes[key] === value))
        .map(({ value }) => (typeof value === 'number' ? value : value.sum))
        .reduce<number>((sum, value) => sum + (value ?? 0), 0)
    const countOf = (name: string, wanted: object) =>
      points
        .filter((point) => point.name === name)
        .filter(({ attributes }) => Object.entries(wanted).every(([key, value]) => attributes[key] === value))
        .reduce((sum, { value }) => sum + (typeof value === 'number' ? 0 : value.count), 0)
    expect(sumOf('gen_ai.client.token.usage', { 'gen_ai.token.type': 'input' })).toBe(30)
    expect(sumOf('gen_ai.client.token.usage', { 'gen_ai.token.type': 'output' })).toBe(6)
    expect(sumOf('ext.model.cost', { 'gen_ai.request.model': 'test-model' })).toBe(1.5)
    const operations = 'gen_ai.client.operation.duration'
    expect(countOf(operations, { 'gen_ai.operation.name': 'chat' })).toBe(4)
    expect(countOf(operations, { 'gen_ai.operation.name': 'execute_tool' })).toBe(4)
    expect(countOf(operations, { 'gen_ai.tool.name': 'No', 'error.type': 'denied' })).toBe(1)
    expect(countOf(operations, { 'ext.tool.server': 's' })).toBe(1)
    expect(countOf(operations, { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'worker' })).toBe(1)
    expect(countOf('ext.permission.decide.duration', { 'ext.permission.decision': 'deny' })).toBe(1)
    expect(countOf('ext.hook.dispatch.duration', { 'ext.hook.event': 'PreToolUse' })).toBe(4)
    // Ids would make a series of each call.
    const keys = new Set(points.flatMap(({ attributes }) => Object.keys(attributes)))
    expect([...keys].filter((key) => key.endsWith('.id'))).toEqual([])
    expect(points.filter(({ name }) => name.endsWith('duration')).every(({ unit }) => unit === 's')).toBe(true)
  })
})
