import { createAgent } from '@ext/agent-core'
import { openTelemetry } from '@ext/agent-core/otel'
import type { Agent, AgentLimits, Model, RunEvent } from '@ext/agent-core/types'
import { nodePorts } from '@ext/kernel/node'
import { createMcpClient } from '@ext/mcp-client'
import { type HostileMode, hostileServer } from '@ext/mcp-client/testing'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ServerPerson } from '../src/asked/person.js'
import { samplingWith } from '../src/asked/think.js'

const PATIENCE = 15_000

/** Tokens that the model needs for each call. */
const EACH = 100

/** Calls the server once, and thinks for whoever asks. */
function modelThat(): Model {
  let turns = 0
  return {
    id: 'thinker',
    async *stream({ messages }) {
      yield { type: 'usage', inputTokens: EACH - 1, outputTokens: 1, costUsd: 0.5 }
      const isForServer = JSON.stringify(messages).includes('Think.')
      if (isForServer) yield { type: 'text', text: 'thought' }
      else if (turns++ === 0) yield { type: 'tool_call', id: 'c', name: 'mcp__s__echo', input: {} }
      else yield { type: 'text', text: 'bye' }
    },
  }
}

/** A run with a server that has the model think again and again, until it is refused. */
async function run(mode: HostileMode, limits: AgentLimits, consents: () => boolean = () => true) {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1_000_000 })
  const tracer = await openTelemetry({ meterProvider: new MeterProvider({ readers: [reader] }) })
  let agent: Agent | undefined
  let asked = 0
  const person: ServerPerson = {
    elicitation: { form: () => expect.unreachable(), url: () => expect.unreachable() },
    attended: true,
    consents: async () => {
      asked++
      return consents()
    },
  }
  const ports = nodePorts()
  const protocol = mode.endsWith('@2026') ? { protocol: 2026 } : {}
  const value = { mcpServers: { s: { ...hostileServer(mode), ...protocol } } }
  const mcp = await createMcpClient({
    layers: [{ kind: 'value', layer: 'user', dialect: 'ext', name: 'the test', value }],
    cwd: process.cwd(),
    ports,
    clientInfo: { name: 'test', version: '1' },
    sampling: samplingWith(person, () => agent),
  })
  onTestFinished(() => mcp.close())
  await mcp.ready({ within: PATIENCE })
  const gate = {
    session: () => ({
      authorize: async () =>
        ({
          behavior: 'allow',
          decision: { behavior: 'allow', decidedBy: { layer: 'rules' }, reason: '', modelReason: '', trace: [] },
          answeredBy: 'rules',
          reason: '',
          modelReason: '',
          waitMs: 0,
          notices: [],
        }) as const,
    }),
  }
  agent = await createAgent({ model: modelThat(), extensions: [mcp], gate, tracer, limits, ports })
  const session = agent.session({ cwd: process.cwd() })
  const started = session.run('go')
  const events: RunEvent[] = []
  for await (const event of started) events.push(event)
  const result = await started.result
  await agent.close()
  await reader.forceFlush()
  const points = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
  await reader.shutdown()
  const sumOf = (name: string) =>
    points
      .filter(({ descriptor }) => descriptor.name === name)
      .flatMap(({ dataPoints }) => dataPoints.map(({ value: each }): unknown => each))
      .reduce<number>((sum, each) => sum + (typeof each === 'number' ? each : (each as { sum: number }).sum), 0)
  const told = JSON.stringify(session.messages)
  return { events, result, asked, told, tokens: sumOf('gen_ai.client.token.usage'), cost: sumOf('ext.model.cost') }
}

describe('a server that has the model of a run think', () => {
  it.each(['samples', 'samples@2026'] as const)(
    'spends from its budget, and is told when there is nothing left: %s',
    async (mode) => {
      const { events, result, asked, told, tokens, cost } = await run(mode, { maxTokens: 4 * EACH })
      const problem = `The budget of ${4 * EACH} tokens is used up: ${4 * EACH}.`
      expect(asked).toBe(3)
      expect(told).toContain(`The request was rejected: ${problem}`)
      expect(result).toMatchObject({ reason: 'budget', usage: { inputTokens: 4 * (EACH - 1), outputTokens: 4 } })
      expect(result.costUsd).toBe(2)
      expect([tokens, cost]).toEqual([4 * EACH, 2])
      const notices = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []))
      expect(notices).toContain(`The model does not think for server s: ${problem}`)
      const models = events.flatMap((event) => (event.type === 'model_end' ? [event.by ?? 'the agent'] : []))
      expect(models).toEqual(['the agent', 'server s', 'server s', 'server s'])
    },
  )

  it('spends nothing if the person says no', async () => {
    const { result, asked, told } = await run('samples', {}, () => false)
    expect(asked).toBe(1)
    expect(told).toContain('The request was rejected.')
    expect(result).toMatchObject({ reason: 'done', text: 'bye', usage: { inputTokens: 2 * (EACH - 1) } })
  })
})
