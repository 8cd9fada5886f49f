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
import type { AgentDefinition } from '../../src/types.js'
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

describe('the metrics of a run', () => {
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
