import { createHash } from 'node:crypto'
import type { JsonObject } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import type { AuditRecord, SpanAttributes, Tracer } from '../src/types.js'
import {
  type AgentSetup,
  collect,
  denied,
  echoTool,
  gate,
  hooks,
  never,
  nonsense,
  ofType,
  play,
  scripted,
  settle,
  setUp,
} from './kit.js'

const END = { say: 'done' }
const call = (tool: string, input: object) => ({ tool, input: input as Record<string, string> })

function sink(write?: (record: AuditRecord) => void | Promise<void>) {
  const records: AuditRecord[] = []
  return { records, write: write ?? ((record: AuditRecord) => void records.push(record)) }
}

describe('the audit record of a call', () => {
  it('is kept for every call, whatever became of it', async () => {
    const audit = sink()
    const server = { server: 'git', tool: 'log', trusted: false }
    const calls = [
      call('Echo', { text: 'hi' }),
      call('mcp__git__log', { text: 'hi' }),
      call('Blocked', { text: 'hi' }),
      call('Denied', { text: 'hi' }),
      call('Nope', { text: 'hi' }),
      call('Echo', { txt: 'hi' }),
    ]
    await play({
      model: scripted({ calls }, END),
      audit,
      tools: [
        echoTool(),
        echoTool('mcp__git__log', { source: server, kind: 'read' }),
        echoTool('Blocked'),
        echoTool('Denied'),
      ],
      interceptor: hooks({
        PreToolUse: ({ tool_name }) => (tool_name === 'Blocked' ? { block: { by: 'guard', reason: 'no' } } : {}),
      }),
      gate: gate(({ call: { name } }) => (name === 'Denied' ? denied() : { ...denied(), behavior: 'allow' })),
    })
    expect(audit.records).toMatchObject([
      { event: 'tool.invocation', tool: 'Echo', kind: 'exec', is_error: false, hook_blocks: [] },
      { event: 'mcp.tool.invocation', tool: 'mcp__git__log', server: 'git', kind: 'read', is_error: false },
      { tool: 'Blocked', is_error: true, error_kind: 'blocked', hook_blocks: ['guard'] },
      { tool: 'Denied', error_kind: 'denied', permission: { behavior: 'deny', decided_by: { layer: 'rules' } } },
      { tool: 'Nope', error_kind: 'unknown_tool', is_error: true },
      { tool: 'Echo', error_kind: 'invalid_input', is_error: true },
    ])
    expect(audit.records[2]).not.toHaveProperty('permission')
    expect(
      audit.records.every(({ ts, session_id }) => ts === '2026-01-01T00:00:00.000Z' && session_id === 'id-1'),
    ).toBe(true)
  })

  it('takes over what the source of the tool says about the call, failed or not, and nothing that is not that', async () => {
    const audit = sink()
    const facts = { phase: 'call', retries: 1, queueMs: 2, runMs: 3.5, bytes: 4 } as const
    const says = (name: string, call: unknown, isError = false) =>
      echoTool(name, { run: async () => ({ content: [], isError, meta: { call } as JsonObject }) })
    const tools = [
      says('Fine', facts),
      says('Failed', { ...facts, phase: 'connect', kind: 'network', text: 'content' }, true),
      says('Odd', { ...facts, phase: 'home' }),
      says('Negative', { ...facts, bytes: -1 }),
      says('Text', 'call'),
      echoTool('Silent'),
    ]
    const calls = tools.map(({ name }) => call(name, { text: 'hi' }))
    await play({ model: scripted({ calls }, END), audit, tools })
    const source = { phase: 'call', retries: 1, queue_ms: 2, run_ms: 3.5, bytes: 4 }
    expect(audit.records.map((record) => record.source)).toEqual([
      source,
      { ...source, phase: 'connect', kind: 'network' },
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  it('holds a digest of the input that does not depend on the order of its keys, and no secret', async () => {
    const audit = sink()
    const any = echoTool('Any', { inputSchema: { type: 'object' } })
    const inputs = [
      { b: '1', a: { y: '2', x: '3' }, api_key: 'sk-very-secret-value' },
      { api_key: 'sk-very-secret-value', a: { x: '3', y: '2' }, b: '1' },
    ]
    await play({ model: scripted({ calls: inputs.map((input) => call('Any', input)) }, END), tools: [any], audit })
    const [first, second] = audit.records
    expect(first?.args_digest).toBe(second?.args_digest)
    const json = '{"a":{"x":"3","y":"2"},"api_key":"sk-very-secret-value","b":"1"}'
    expect(first?.args_digest).toBe(`sha256:${createHash('sha256').update(json).digest('hex')}`)
    expect(first?.args_redacted).toContain('"b":"1"')
    expect(JSON.stringify(audit.records)).not.toContain('very-secret')
  })

  it('of a sub-agent names it', async () => {
    const audit = sink()
    const start = { calls: [{ tool: 'agent', input: { type: 'w', prompt: 'x' } }] }
    await play({
      model: scripted(start, END),
      models: () => scripted({ calls: [call('Echo', { text: 'hi' })] }, END),
      agents: [{ name: 'w', description: 'x', prompt: 'x', model: 'm' }],
      tools: [echoTool()],
      audit,
    })
    expect(audit.records).toMatchObject([{ tool: 'Echo', agent_id: expect.any(String) }, { tool: 'agent' }])
    expect(audit.records[1]).not.toHaveProperty('agent_id')
  })

  it('that can not be kept is said once, and costs nothing else', async () => {
    let tries = 0
    const audit = sink(() => {
      tries++
      throw new Error('disk full')
    })
    const model = scripted({ calls: [call('Echo', { text: '1' }), call('Echo', { text: '2' })] }, END)
    const { result, events } = await play({ model, tools: [echoTool()], audit })
    expect(result.reason).toBe('done')
    expect(ofType(events, 'notice').map(({ text }) => text)).toEqual([
      'The audit record of Echo was not kept, and no more are tried: disk full',
    ])
    expect(tries).toBe(1)
  })

  it('of each call of an aborted turn is kept, and nobody waits for it longer than the run has', async () => {
    const audit = sink()
    const controller = new AbortController()
    const calls = ['1', '2', '3'].map((text) => call('Echo', { text }))
    const { session, clock } = await setUp({
      model: scripted({ calls }),
      tools: [echoTool()],
      audit,
      interceptor: hooks({ PostToolUse: never }),
    })
    const run = session.run('go', { signal: controller.signal })
    await settle()
    controller.abort()
    await settle()
    clock.advance(150)
    const events = await collect(run)
    expect(audit.records.map(({ error_kind }) => error_kind)).toEqual([undefined, 'not_run', 'not_run'])
    const json = calls.map(({ input }) => JSON.stringify(input))
    expect(audit.records.map(({ args_redacted }) => args_redacted)).toEqual(json)
    expect(audit.records.map(({ args_digest }) => args_digest)).toEqual(
      json.map((text) => `sha256:${createHash('sha256').update(text).digest('hex')}`),
    )
    expect(ofType(events, 'notice').filter(({ text }) => text.includes('audit'))).toEqual([])
    expect(clock.pending).toBe(0)
  })

  it('that is never confirmed holds a call up for two seconds, and the next one not at all', async () => {
    const model = scripted({ calls: [call('Echo', { text: '1' }), call('Echo', { text: '2' })] }, END)
    const { session, clock } = await setUp({ model, tools: [echoTool()], audit: sink(never) })
    const run = session.run('go')
    // The digest is made by the platform, in its own time.
    for (let round = 0; round < 5; round++) await new Promise((resolve) => setTimeout(resolve, 1))
    await settle()
    clock.advance(2000)
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(clock.pending).toBe(0)
  })
})

interface Drawn {
  readonly name: string
  readonly parent: string | undefined
  readonly attributes: Record<string, unknown>
  ended: boolean
  error: string | undefined
}

function tracer(): Tracer & { readonly spans: Drawn[] } {
  const spans: Drawn[] = []
  const names = new WeakMap<object, string>()
  return {
    spans,
    start(name, { attributes, parent }) {
      const drawn: Drawn = {
        name,
        parent: parent && names.get(parent),
        attributes: { ...attributes },
        ended: false,
        error: undefined,
      }
      spans.push(drawn)
      const span = {
        traceId: 'trace-1',
        set: (more: SpanAttributes) => void Object.assign(drawn.attributes, more),
        end: (error?: string) => void Object.assign(drawn, { ended: true, error }),
      }
      names.set(span, name)
      return span
    },
  }
}

describe('the spans of a run', () => {
  const setup = (more: Partial<AgentSetup>): AgentSetup => ({
    model: scripted({ calls: [call('Echo', { text: 'hi' })] }, END),
    tools: [echoTool()],
    interceptor: hooks(),
    ...more,
  })

  it('stand in each other as the work does, all of them ended, without contents', async () => {
    const draw = tracer()
    const audit = sink()
    await play(setup({ tracer: draw, audit }))
    const lines = draw.spans.map(({ name, parent }) => `${parent ?? ''} > ${name}`)
    expect([...new Set(lines)]).toEqual([
      ' > invoke_agent',
      'invoke_agent > ext.hook.dispatch',
      'invoke_agent > chat scripted',
      'invoke_agent > execute_tool Echo',
      'execute_tool Echo > ext.hook.dispatch',
      'execute_tool Echo > ext.permission.decide',
    ])
    expect(draw.spans.every(({ ended, error }) => ended && error === undefined)).toBe(true)
    expect(draw.spans.find(({ name }) => name.startsWith('execute_tool'))?.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'Echo',
      'gen_ai.tool.call.id': 'call_1_1',
    })
    expect(JSON.stringify(draw.spans)).not.toContain('"hi"')
    expect(audit.records).toMatchObject([{ trace_id: 'trace-1' }])
  })

  it('say what kind of error ended them', async () => {
    const draw = tracer()
    const crash = echoTool('Echo', {
      run: async () => {
        throw new Error('x')
      },
    })
    await play(setup({ tracer: draw, tools: [crash], limits: { maxTurns: 1 } }))
    expect(draw.spans.filter(({ error }) => error !== undefined).map(({ name, error }) => [name, error])).toEqual([
      ['invoke_agent', 'max_turns'],
      ['execute_tool Echo', 'crashed'],
    ])
  })

  it('of a sub-agent hang below the call that started it', async () => {
    const draw = tracer()
    await play({
      model: scripted({ calls: [{ tool: 'agent', input: { type: 'w', prompt: 'x' } }] }, END),
      models: () => scripted(END),
      agents: [{ name: 'w', description: 'x', prompt: 'x', model: 'm' }],
      tracer: draw,
    })
    expect(draw.spans.find(({ name }) => name === 'invoke_agent w')).toMatchObject({ ended: true })
    const chats = draw.spans.filter(({ name }) => name.startsWith('chat')).map(({ parent }) => parent)
    expect(chats).toEqual(['invoke_agent', 'invoke_agent w', 'invoke_agent'])
  })

  it.each<[string, () => never | Promise<void>]>([
    [
      'at once',
      () => {
        throw new Error('no collector')
      },
    ],
    ['later', () => Promise.reject(new Error('no collector'))],
  ])('that can not be drawn, which comes out %s, are said once and cost nothing else', async (_, fail) => {
    for (const broken of ['start', 'set', 'end'] as const) {
      const span = { set: () => {}, end: () => {} }
      const draw: Tracer =
        broken === 'start' ? { start: () => nonsense(fail()) } : { start: () => ({ ...span, [broken]: fail }) }
      const { result, events } = await play(setup({ tracer: draw }))
      expect([broken, result.reason, events[0]?.type]).toEqual([broken, 'done', 'session_start'])
      const notices = ofType(events, 'notice').map(({ text }) => text)
      expect([broken, notices]).toEqual([broken, [expect.stringContaining('Tracing failed and is off for this run: ')]])
    }
  })
})
