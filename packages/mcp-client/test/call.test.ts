import { describe, expect, test } from 'vitest'
import { hostile, names, PATIENCE, settled, textOf } from './helpers.js'

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function stderrOf(made: Awaited<ReturnType<typeof settled>>, text: string): Promise<void> {
  await expect.poll(() => made.status()[0]?.stderrTail ?? '', { timeout: PATIENCE }).toContain(text)
}

test('many calls share a signal without a warning of a leak, and all of them hear it', async () => {
  const warnings: string[] = []
  const warned = ({ name }: Error) => warnings.push(name)
  process.on('warning', warned)
  const made = await settled({ a: hostile('slow'), b: hostile('slow') })
  const controller = new AbortController()
  const { signal } = controller
  const calls = Array.from({ length: 24 }, (_, index) => made.call(`mcp__${'ab'[index % 2]}__echo`, {}, { signal }))
  const settledCalls = Promise.allSettled(calls)
  await expect.poll(() => made.status().map(({ calls }) => calls.running)).toEqual([12, 12])
  controller.abort(new Error('enough'))
  for (const call of await settledCalls)
    expect(call).toMatchObject({ status: 'rejected', reason: { message: 'enough' } })
  process.off('warning', warned)
  expect(warnings).toEqual([])
})

describe('results', () => {
  const ask = async (what: string) => (await settled({ odd: hostile('odd') })).call('mcp__odd__echo', { what })

  test('audio, resources and links pass with all their fields', async () => {
    expect((await ask('blocks')).content).toEqual([
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a', text: 'hello' } },
      { type: 'resource_link', uri: 'file:///b', name: 'b', size: 3 },
    ])
  })

  test('what is not known becomes a text that says so', async () => {
    const result = await ask('video')
    expect(result.isError).toBe(false)
    expect(textOf(result)).toMatchInlineSnapshot(`
      "[left out: content of type "video" with the fields data, mimeType]
      [left out: the text "loose" instead of content]
      [left out: content of type "image" with the fields ]"
    `)
  })

  test('a structured result without content is also given as text, since a model sees only that', async () => {
    expect(await ask('structured')).toMatchObject({
      content: [{ type: 'text', text: '{"sum":3}' }],
      isError: false,
      structured: { sum: 3 },
    })
  })

  test('no content at all is an empty result', async () => {
    expect(await ask('nothing')).toMatchObject({ content: [], isError: false })
  })

  test.each([
    ['content that is no list', 'badcontent', 'protocol', 'sent the text "text" where the list of content belongs'],
    ['an answer that is not JSON-RPC', 'malformed', 'protocol', 'gave an answer to tools/call that is not MCP'],
    ['an error of the protocol', 'rpcerror', 'remote', 'city is missing'],
    ['an error of the tool', 'iserror', 'remote', 'the file is locked'],
  ])('%s is a result that says so', async (_what, mode, kind, text) => {
    const result = await ask(mode)
    expect(result).toMatchObject({ isError: true, meta: { server: 'odd', phase: 'call', kind } })
    expect(textOf(result)).toContain(text)
  })

  test('text that arrives byte by byte is whole', async () => {
    const made = await settled({ s: hostile('utf8') })
    expect(textOf(await made.call('mcp__s__echo', {}))).toBe('grüße 🧀')
  })

  test('thirty megabytes do not cost the connection', async () => {
    const made = await settled({ s: { ...hostile('huge'), limits: { maxResult: '64MiB' } } })
    expect(textOf(await made.call('mcp__s__echo', {}))).toHaveLength(30 * 1024 * 1024)
    expect(textOf(await made.call('mcp__s__echo', {}))).toHaveLength(30 * 1024 * 1024)
  })

  test('a message over the limit costs its call, and the next one works', async () => {
    const made = await settled({ s: hostile('toolarge') })
    const result = await made.call('mcp__s__echo', {})
    expect(result).toMatchObject({ isError: true, meta: { kind: 'protocol' } })
    expect(textOf(result)).toContain('gave an answer of more than 64 MiB, which was dropped')
    expect(textOf(await made.call('mcp__s__echo', { small: true }))).toBe('small')
    expect(made.diagnostics.map(({ code }) => code)).toEqual(['mcp.output.too-large'])
  })
})

describe('a call that is not answered', () => {
  test('ends at its time limit as a result, and the server is told', async () => {
    const made = await settled({ s: { ...hostile('slow'), timeout: { call: '200ms' } }, good: hostile('echo') })
    const result = await made.call('mcp__s__echo', {})
    expect(result).toMatchObject({ isError: true, meta: { server: 's', phase: 'call', kind: 'timeout' } })
    expect(textOf(result)).toContain('did not answer within 0.2 s')
    expect(names(made)).toContain('mcp__s__echo')
    await expect
      .poll(() => made.status().find(({ name }) => name === 's')?.stderrTail, { timeout: PATIENCE })
      .toContain('cancelled: the client does not wait for it any more')
  })

  test('ends when the caller aborts: with the reason of the caller, which the server does not get', async () => {
    const made = await settled({ s: hostile('slow') })
    const caller = new AbortController()
    const call = made.call('mcp__s__echo', {}, { signal: caller.signal })
    await wait(50)
    caller.abort(new DOMException('private', 'AbortError'))
    await expect(call).rejects.toBe(caller.signal.reason)
    await stderrOf(made, 'cancelled: the client does not wait for it any more')
    expect(made.status()[0]).toMatchObject({ state: 'ready' })
    expect(made.status()[0]?.stderrTail).not.toContain('private')
  })

  test('is not sent at all for a signal that has aborted before', async () => {
    const made = await settled({ s: hostile('die') })
    await expect(made.call('mcp__s__echo', {}, { signal: AbortSignal.abort() })).rejects.toThrow('aborted')
    expect(made.status()[0]).toMatchObject({ state: 'ready' })
  })

  test('is told to the server only once, and never after it was answered', async () => {
    const made = await settled({ s: hostile('echo') })
    const caller = new AbortController()
    await made.call('mcp__s__echo', { text: 'hi' }, { signal: caller.signal })
    caller.abort()
    await made.call('mcp__s__echo', {})
    expect(made.status()[0]?.stderrTail).toBeUndefined()
  })
})

test('a server that dies in a call: the call says why, and the server is started again for the next one', async () => {
  const made = await settled({ s: hostile('die'), good: hostile('echo') })
  const before = made.tools()
  const result = await made.call('mcp__s__echo', {})
  expect(result).toMatchObject({ isError: true, meta: { server: 's', phase: 'call', kind: 'network' } })
  expect(textOf(result)).toContain('exited with code 9. Its last words on stderr: "fatal: out of cheese"')
  expect(textOf(result)).toContain('It may have done what was asked.')
  expect(made.tools()).toBe(before)
  expect(made.diagnostics).toMatchObject([{ code: 'mcp.server.lost', severity: 'warning' }])
  expect(textOf(await made.call('mcp__good__echo', { text: 'hi' }))).toBe('hi')
  expect(textOf(await made.call('mcp__s__echo', {}))).toContain('exited with code 9')
})

test('a server that is not started again: its tools are gone, and a call says why', async () => {
  const made = await settled({ s: { ...hostile('die'), reconnect: false }, good: hostile('echo') })
  await made.call('mcp__s__echo', {})
  expect(made.status()[1]).toMatchObject({ name: 's', state: 'failed', cause: 'exited with code 9', tools: 0 })
  expect(names(made)).toEqual(['mcp__good__echo'])
  expect(made.diagnostics).toMatchObject([{ code: 'mcp.server.lost', severity: 'error' }])
  const again = await made.call('mcp__s__echo', {})
  expect(again).toMatchObject({ isError: true, meta: { server: 's', phase: 'connect', kind: 'network' } })
  expect(textOf(again)).toContain('is down: it exited with code 9')
})

test('an unknown tool is a result with a suggestion', async () => {
  const made = await settled({ s: hostile('echo') })
  expect(textOf(await made.call('mcp__s_echo', {}))).toContain('Did you mean `mcp__s__echo`?')
  expect(textOf(await made.call('mcp__s__read', {}))).toContain('`s` has no such tool')
  expect(await made.call('web', {})).toMatchObject({ isError: true, meta: { phase: 'find' } })
})

test('a tool can be run by itself, as an agent does', async () => {
  const made = await settled({ s: hostile('echo') })
  const [tool] = made.tools()
  const result = await tool?.run(
    { text: 'hi' },
    {
      signal: new AbortController().signal,
      session: { id: '1', cwd: '/', origin: 'main', permissionMode: 'default' },
      callId: '1',
      idempotencyKey: '1',
      progress: () => {},
      report: () => {},
    },
  )
  expect(result).toMatchObject({ content: [{ type: 'text', text: 'hi' }], isError: false })
})

test('many calls at once are answered each with its own', async () => {
  const made = await settled({ s: hostile('echo') })
  const texts = Array.from({ length: 200 }, (_, index) => String(index))
  const results = await Promise.all(texts.map((text) => made.call('mcp__s__echo', { text })))
  expect(results.map(textOf)).toEqual(texts)
})
