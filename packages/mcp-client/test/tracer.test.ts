import type { ToolContext, TraceContext } from '@ext/kernel/contract'
import { serveHostile } from '@ext/mcp-client/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { CallOptions, McpTracer, SpanAttributes } from '../src/types.js'
import { codes, hostile, names, PATIENCE, settled, textOf } from './helpers.js'

interface Drawn {
  readonly name: string
  readonly attributes: Record<string, unknown>
  readonly trace: TraceContext
  readonly within: string | undefined
  /** `open`, `ok` or the error. */
  end: string
}

/** Draws into a list. Each span has an id of its own, in the trace of what it stands in. */
function recorder(): { readonly tracer: McpTracer; readonly spans: Drawn[]; of(name: string): Drawn[] } {
  const spans: Drawn[] = []
  return {
    spans,
    of: (name) => spans.filter((span) => span.name === name),
    tracer: {
      start(name, { attributes, within }) {
        const trace = within?.traceparent.slice(3, 35) ?? 'f'.repeat(32)
        const id = String(spans.length + 1).padStart(16, '0')
        const span: Drawn = {
          name,
          attributes: { ...attributes },
          trace: { traceparent: `00-${trace}-${id}-01`, ...(within ? { tracestate: within.tracestate ?? 'a=1' } : {}) },
          within: within?.traceparent,
          end: 'open',
        }
        spans.push(span)
        return {
          trace: span.trace,
          set: (more: SpanAttributes) => void Object.assign(span.attributes, more),
          end: (error = 'ok') => {
            span.end = error
          },
        }
      },
    },
  }
}

const CALL: TraceContext = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }

describe('an attempt to connect', () => {
  test('is a span that ends as the attempt does', async () => {
    const { tracer, spans } = recorder()
    await settled({ good: hostile('echo'), gone: { command: '/no/such/program' } }, { tracer })
    const of = (server: string) => spans.find(({ attributes }) => attributes['ext.mcp.server'] === server)
    expect(of('good')).toMatchObject({
      name: 'ext.mcp.connect',
      attributes: { 'ext.mcp.server': 'good', 'ext.mcp.transport': 'stdio' },
      within: undefined,
      end: 'ok',
    })
    expect(of('gone')).toMatchObject({ end: expect.not.stringMatching(/^(ok|open)$/) })
  })

  test('that a call waits for stands in that call, also when the server was lost before', async () => {
    const { tracer, of } = recorder()
    const made = await settled({ s: { ...hostile('die'), reconnect: { backoff: { min: '1s' } } } }, { tracer })
    await made.call('mcp__s__echo', {})
    await vi.waitUntil(() => made.status()[0]?.state !== 'ready', { timeout: PATIENCE })
    await made.call('mcp__s__echo', {}, { trace: CALL })
    expect(of('ext.mcp.connect').map(({ within }) => within)).toEqual([undefined, CALL.traceparent])
  })
})

describe('a request that belongs to a call', () => {
  test.each(['stdio', 'http', 'stdio@2026', 'http@2026'])(
    'is a span as MCP names it, of which the server is told, over %s',
    async (over) => {
      const { tracer, of } = recorder()
      const mode = over.endsWith('@2026') ? 'meta@2026' : 'meta'
      const server = await serveHostile(mode)
      onTestFinished(() => server.close())
      const program = { ...hostile(mode), ...(over === 'stdio@2026' ? { protocol: 2026 } : {}) }
      const made = await settled({ s: over.startsWith('stdio') ? program : { url: server.url } }, { tracer })
      const told = JSON.parse(textOf(await made.call('mcp__s__echo', {}, { trace: CALL })))
      const [span] = of('tools/call echo')
      expect(told).toMatchObject({ ...span?.trace })
      expect(told.progressToken).toEqual(expect.any(Number))
      expect(told.traceparent).toMatch(/^00-a{32}-/)
      expect(told.tracestate).toBe('a=1')
      expect(span).toMatchObject({
        attributes: {
          'mcp.method.name': 'tools/call',
          'gen_ai.tool.name': 'echo',
          'ext.mcp.server': 's',
          'mcp.protocol.version': over.endsWith('@2026') ? '2026-07-28' : '2025-06-18',
          'network.transport': over.startsWith('stdio') ? 'pipe' : 'tcp',
          'jsonrpc.request.id': expect.stringMatching(/^\d+$/),
        },
        within: CALL.traceparent,
        end: 'ok',
      })
    },
  )

  test('is one also for what is read, and for prompts, and without the addresses of resources', async () => {
    const { tracer, of, spans } = recorder()
    const made = await settled({ s: hostile('meta') }, { tracer })
    const read = JSON.stringify(await made.resources.read('s', 'meta:///', { trace: CALL }))
    const got = JSON.stringify(await made.prompts.get('s', 'hi', {}, { trace: CALL }))
    expect(read).toContain(of('resources/read')[0]?.trace.traceparent)
    expect(got).toContain(of('prompts/get hi')[0]?.trace.traceparent)
    expect(JSON.stringify(spans)).not.toContain('meta:///')
  })

  test('ends as what became of it: an error of the tool, of the server, or nobody who waits', async () => {
    const { tracer, of } = recorder()
    const made = await settled({ s: hostile('meta'), slow: hostile('slow') }, { tracer })
    await made.call('mcp__s__echo', { fail: 'tool' })
    await made.call('mcp__s__echo', { fail: 'refuse' })
    const caller = new AbortController()
    const call = made.call('mcp__slow__echo', {}, { signal: caller.signal })
    await vi.waitUntil(() => of('tools/call echo').length === 3, { timeout: PATIENCE })
    caller.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    expect(of('tools/call echo').map(({ end }) => end)).toEqual(['tool_error', '-32602', 'aborted'])
    expect(of('tools/call echo')[1]?.attributes).toMatchObject({ 'rpc.response.status_code': '-32602' })
  })

  test('that is sent again is a span for each time', async () => {
    const { tracer, of } = recorder()
    const server = await serveHostile('echo')
    onTestFinished(() => server.close())
    const made = await settled({ s: { url: server.url } }, { tracer })
    // It knows the session no longer, so the call surely had no effect, and is sent once more.
    server.forget()
    expect(textOf(await made.call('mcp__s__echo', { text: 'hi' }, { trace: CALL }))).toBe('hi')
    expect(of('tools/call echo').map(({ end, within }) => [end, within])).toEqual([
      ['network', CALL.traceparent],
      ['ok', CALL.traceparent],
    ])
  })

  test('tells the server of the call itself where nobody draws, and of nothing where nobody traces', async () => {
    const made = await settled({ s: hostile('meta') })
    const metaOf = async (options: CallOptions) => JSON.parse(textOf(await made.call('mcp__s__echo', {}, options)))
    expect(await metaOf({ trace: CALL })).toMatchObject({ traceparent: CALL.traceparent })
    expect(Object.keys(await metaOf({}))).toEqual(['progressToken'])
    const tool = made.tools().find(({ name }) => name === 'mcp__s__echo')
    const context = { signal: new AbortController().signal, callId: '1', progress: () => {} } as unknown as ToolContext
    expect(
      JSON.parse(textOf(await (tool as NonNullable<typeof tool>).run({}, { ...context, trace: CALL }))),
    ).toMatchObject({
      traceparent: CALL.traceparent,
    })
    const resources = made.tools().find(({ name }) => name === 'read_mcp_resource')
    const read = await resources?.run({ server: 's', uri: 'meta:///' }, { ...context, trace: CALL })
    expect(JSON.stringify(read)).toContain(CALL.traceparent)
  })
})

test.each(['start', 'trace', 'end'] as const)(
  'a tracer that fails at `%s` costs no connection and no call',
  async (at) => {
    const fail = (): never => {
      throw new Error('no room')
    }
    const span = {
      ...(at === 'trace' ? {} : { trace: CALL }),
      end: () => (at === 'end' ? fail() : undefined),
    }
    if (at === 'trace') Object.defineProperty(span, 'trace', { get: fail })
    const tracer: McpTracer = { start: () => (at === 'start' ? fail() : span) }
    const made = await settled({ good: hostile('echo') }, { tracer })
    expect(names(made)).toEqual(['mcp__good__echo'])
    expect(textOf(await made.call('mcp__good__echo', { text: 'hi' }))).toBe('hi')
    expect(codes(made.diagnostics)).toEqual(['mcp.listener.failed'])
  },
)
