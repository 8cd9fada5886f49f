import { createAgent } from '@ext/agent-core'
import { openTelemetry } from '@ext/agent-core/otel'
import { scriptedModel } from '@ext/agent-core/scripted'
import type { AuditRecord } from '@ext/agent-core/types'
import { createHooks } from '@ext/hooks'
import type { LedgerRecord } from '@ext/hooks/types'
import type { ValueSource } from '@ext/kernel'
import { nodePorts } from '@ext/kernel/node'
import { createMcpClient } from '@ext/mcp-client'
import { hostileServer } from '@ext/mcp-client/testing'
import type { CachedTools, ToolCache } from '@ext/mcp-client/types'
import { createPermission } from '@ext/permission'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from './bin.js'

const PATIENCE = 15_000

/** One run through all packages: a server that starts with its first call, hooks that are waited for and that are not. */
async function ran() {
  const cwd = await temporaryFolder()
  const ports = nodePorts()
  const exporter = new InMemorySpanExporter()
  const tracer = await openTelemetry({
    tracerProvider: new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  })
  const audited: AuditRecord[] = []
  const hooked: LedgerRecord[] = []
  const value = {
    mcpServers: { s: { ...hostileServer('meta'), lazy: true } },
    hooks: [
      { name: 'guard', event: 'PreToolUse', action: { type: 'command', command: 'exit 0' } },
      { name: 'later', event: 'PostToolUse', async: true, action: { type: 'command', command: 'exit 0' } },
      { name: 'start', event: 'SessionStart', action: { type: 'command', command: 'exit 0' } },
    ],
    permissions: { allow: ['mcp__s__*'] },
  }
  const layers: ValueSource[] = [{ kind: 'value', layer: 'user', dialect: 'ext', name: 'the test', value }]
  const kept = new Map<string, CachedTools>()
  const toolCache: ToolCache = {
    read: async ({ name }) => kept.get(name),
    write: async ({ name }, tools) => void kept.set(name, tools),
  }
  const servers = { layers, cwd, ports, clientInfo: { name: 'test', version: '1' }, toolCache }
  const before = await createMcpClient(servers)
  await before.ready({ within: PATIENCE })
  await before.close()
  const mcp = await createMcpClient({ ...servers, tracer })
  onTestFinished(() => mcp.close())
  expect((await mcp.ready({ within: PATIENCE })).idle).toEqual(['s'])
  const hooks = await createHooks({ layers, root: cwd, ports, tracer, ledger: { write: (each) => hooked.push(each) } })
  onTestFinished(() => hooks.close())
  const agent = await createAgent({
    model: scriptedModel({ turns: [{ calls: [{ tool: 'mcp__s__echo', input: {} }] }, { say: 'Done.' }] }),
    extensions: [mcp],
    interceptor: hooks,
    gate: await createPermission({ layers, tools: {}, cwd, ports }),
    audit: { write: (record) => void audited.push(record) },
    tracer,
    ports,
  })
  const session = agent.session({ cwd })
  const { reason } = await session.run('go').result
  expect(reason).toBe('done')
  await expect.poll(() => hooked.length, { timeout: PATIENCE }).toBe(3)
  return { spans: exporter.getFinishedSpans(), audited, hooked, session }
}

it('a run through all packages is one tree of spans, whose ids servers, records of calls and the ledger of hooks have', async () => {
  const { spans, audited, hooked, session } = await ran()
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]))
  const pathOf = (span: (typeof spans)[number]): string => {
    const above = byId.get(span.parentSpanContext?.spanId ?? '')
    const { 'ext.hook.name': hook, 'ext.hook.event': event } = span.attributes
    const name = [span.name, hook ?? event ?? ''].join(' ').trim()
    return above ? `${pathOf(above)} → ${name}` : name
  }
  const call = 'invoke_agent → execute_tool mcp__s__echo'
  expect(spans.map(pathOf).sort()).toEqual(
    [
      'invoke_agent',
      'invoke_agent → chat scripted',
      'invoke_agent → chat scripted',
      'invoke_agent → ext.hook.dispatch SessionStart',
      'invoke_agent → ext.hook.dispatch SessionStart → ext.hook.run start',
      call,
      `${call} → ext.hook.dispatch PreToolUse`,
      `${call} → ext.hook.dispatch PreToolUse → ext.hook.run guard`,
      `${call} → ext.permission.decide`,
      `${call} → ext.mcp.connect`,
      `${call} → tools/call echo`,
      `${call} → ext.hook.dispatch PostToolUse`,
      `${call} → ext.hook.dispatch PostToolUse → ext.hook.run later`,
    ].sort(),
  )
  const traces = new Set(spans.map((span) => span.spanContext().traceId))
  expect(traces.size).toBe(1)
  const [trace] = traces
  expect(audited.map(({ trace_id }) => trace_id)).toEqual([trace])
  expect(hooked.map(({ traceId }) => traceId)).toEqual([trace, trace, trace])
  const request = spans.find(({ name }) => name === 'tools/call echo')?.spanContext()
  expect(JSON.stringify(session.messages)).toContain(`00-${request?.traceId}-${request?.spanId}-01`)
})
