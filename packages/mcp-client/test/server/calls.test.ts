import { describe, expect, onTestFinished, test } from 'vitest'
import { serveHostile } from '../../src/testing/index.js'
import { hostile, inMemory, names, only, PATIENCE, settled, textOf, worker } from '../helpers.js'

describe('the time of a call', () => {
  test('is that of the tool, before that of the server, before that of the client', async () => {
    const perTool = { wait: { timeout: '100ms' } }
    const made = await settled(
      { s: { ...worker(), timeout: { call: '300ms' }, tools: { perTool } }, other: worker() },
      { defaults: { callMs: 200 } },
    )
    const long = { ms: 30_000 }
    expect(textOf(await made.call('mcp__s__wait', long))).toContain('did not answer within 0.1 s')
    expect(textOf(await made.call('mcp__s__stick', {}))).toContain('did not answer within 0.3 s')
    expect(textOf(await made.call('mcp__other__wait', long))).toContain('did not answer within 0.2 s')
  })

  test('starts again with each sign of progress, which is passed on', async () => {
    const made = await settled({ s: { ...worker(), timeout: { call: '1s' } } })
    const steps: string[] = []
    const onProgress = ({ progress, message }: { progress: number; message?: string }) => {
      steps.push(`${progress} ${message}`)
    }
    expect(textOf(await made.call('mcp__s__wait', { ms: 2200, every: 200 }, { onProgress }))).toBe('done')
    expect(steps.slice(0, 3)).toEqual(['1 step 1', '2 step 2', '3 step 3'])
    expect(steps.length).toBeGreaterThan(6)
  })

  test('ends at the total limit, whatever progress there is, also for a tool that an agent runs', async () => {
    const made = await settled({ s: { ...worker(), timeout: { call: '1500ms', total: '2s' } } })
    const tool = made.tools().find(({ name }) => name === 'mcp__s__wait')
    const steps: number[] = []
    const result = await tool?.run(
      { ms: 30_000, every: 50 },
      context({ progress: ({ progress }) => steps.push(progress) }),
    )
    expect(result).toMatchObject({ isError: true, meta: { server: 's', phase: 'call', kind: 'timeout' } })
    expect(result && textOf(result)).toContain('was not done within 2 s, although it reported progress')
    expect(steps.length).toBeGreaterThan(3)
  })

  test('is not cut short by a listener of progress that throws', async () => {
    const made = await settled({ s: worker() })
    const onProgress = () => {
      throw new Error('oops')
    }
    expect(textOf(await made.call('mcp__s__wait', { ms: 100, every: 30 }, { onProgress }))).toBe('done')
    expect(made.diagnostics).toMatchObject([
      { code: 'mcp.listener.failed', message: '`onProgress` threw an error: oops.' },
    ])
  })
})

describe('limits', () => {
  test('calls beyond the concurrency wait for their turn, which the status shows', async () => {
    const made = await settled({ s: { ...worker(), limits: { concurrency: 2 } } })
    const calls = [1, 2, 3, 4, 5].map(() => made.call('mcp__s__wait', { ms: 300 }))
    await expect.poll(() => made.status()[0]?.calls).toEqual({ running: 2, waiting: 3 })
    expect((await Promise.all(calls)).map(textOf)).toEqual(['done', 'done', 'done', 'done', 'done'])
    expect(made.status()[0]?.calls).toEqual({ running: 0, waiting: 0 })
  })

  test('a call that finds no turn in time is a result that says that nothing was sent', async () => {
    const made = await settled({ s: { ...worker(), limits: { concurrency: 1 }, timeout: { call: '1500ms' } } })
    const first = made.call('mcp__s__wait', { ms: 30_000, every: 100 })
    const second = await made.call('mcp__s__read', {})
    expect(second).toMatchObject({ isError: true, meta: { server: 's', phase: 'call', kind: 'limited' } })
    expect(textOf(second)).toBe('The server `s` is busy with other calls. Nothing was sent. Try again later.')
    await made.close()
    expect(await first).toMatchObject({ isError: true, meta: { kind: 'aborted' } })
  })

  test('a server that fails several times in a row is degraded, and calls are kept from it for a while', async () => {
    const limits = { breaker: { failures: 2, cooldown: '1s' } }
    const made = await settled({ s: { ...worker(), limits, tools: { perTool: { wait: { timeout: '100ms' } } } } })
    for (let call = 1; call <= 2; call++) {
      expect(await made.call('mcp__s__wait', { ms: 5000 })).toMatchObject({ meta: { kind: 'timeout' } })
    }
    expect(made.status()[0]).toMatchObject({ state: 'degraded', cause: 'failed at several calls in a row' })
    expect(names(made)).toContain('mcp__s__read')
    expect(await made.ready()).toEqual({ ready: ['s'], late: [], failed: [] })
    const refused = await made.call('mcp__s__read', {})
    expect(refused).toMatchObject({ isError: true, meta: { server: 's', kind: 'limited' } })
    expect(textOf(refused)).toMatch(/has failed several times in a row.*Nothing was sent. Try again in [01](\.\d)? s/)
    await new Promise((resolve) => setTimeout(resolve, 1100))
    expect(textOf(await made.call('mcp__s__read', { text: 'hi' }))).toBe('hi')
    expect(made.status()[0]).toMatchObject({ state: 'ready' })
  })

  test('one that crashes under many calls is started again and not also kept from them', async () => {
    const limits = { breaker: { failures: 2, cooldown: '30s' } }
    const made = await settled({ s: { ...worker(), limits } })
    const waiting = [1, 2, 3, 4].map(() => made.call('mcp__s__wait', { ms: 30_000 }))
    await expect.poll(() => made.status()[0]?.calls.running).toBe(4)
    process.kill(Number(textOf(await made.call('mcp__s__pids', {}))), 'SIGKILL')
    for (const result of await Promise.all(waiting)) expect(result).toMatchObject({ meta: { kind: 'network' } })
    expect(textOf(await made.call('mcp__s__read', { text: 'hi' }))).toBe('hi')
  })
})

describe('a server that announces other tools', () => {
  test('is asked for them, once for many announcements; what stays the same stays the same object', async () => {
    const made = await settled({ s: worker() })
    const [pids] = made.tools()
    const before = made.tools()
    let changes = 0
    made.onChange(() => changes++)
    await made.call('mcp__s__turn', { times: 100 })
    await expect.poll(() => names(made), { timeout: PATIENCE }).toContain('mcp__s__new-2')
    expect(made.tools()).not.toBe(before)
    expect(made.tools().find(({ name }) => name === pids?.name)).toBe(pids)
    expect(changes).toBe(1)
    expect(await made.call('mcp__s__new-2', {})).toMatchObject({ isError: false })
  })

  test('and does not give them in time keeps those that it had', async () => {
    const made = await settled({ s: { ...worker(), timeout: { list: '200ms' } } })
    const before = made.tools()
    // The announcement comes first, and then it answers nothing any more.
    await made.call('mcp__s__turn', {})
    void made.call('mcp__s__stick', {})
    await expect
      .poll(() => made.diagnostics.map(({ code }) => code), { timeout: PATIENCE })
      .toEqual(['mcp.tools.stale'])
    expect(made.diagnostics[0]?.message).toContain('the list could not be read: it gave none within 0.2 s')
    expect(made.tools()).toBe(before)
  })
})

describe('which tools there are', () => {
  test('is what the configuration says, also of what they do', async () => {
    const tools = { allow: ['read', 'w*'], deny: ['wait'], perTool: { write: { readOnly: true } } }
    const made = await settled({ s: { ...worker(), trust: true, tools } })
    expect(made.tools().map(({ name, kind }) => `${name} ${kind}`)).toEqual(['mcp__s__read read', 'mcp__s__write read'])
    const denied = await made.call('mcp__s__wait', {})
    expect(denied).toMatchObject({ isError: true, meta: { server: 's', phase: 'find', kind: 'protocol' } })
    expect(textOf(denied)).toContain('is not offered: `tools.deny` has `wait`')
    expect(made.status()[0]).toMatchObject({ tools: 2, held: 0 })
  })

  test('waits for a person where a definition has changed since it was approved', async () => {
    const made = await settled({ s: hostile('rugpull') })
    expect(made.held()).toEqual([])
    await made.call('mcp__s__echo', {})
    await expect
      .poll(() => made.held(), { timeout: PATIENCE })
      .toMatchObject([{ server: 's', tool: 'add', name: 'mcp__s__add', changes: [{ field: 'description' }] }])
    expect(names(made)).toEqual(['mcp__s__echo'])
    expect(made.status()[0]).toMatchObject({ tools: 1, held: 1 })
    expect(textOf(await made.call('mcp__s__add', {}))).toContain('it is not what was approved, and waits for a person')
    expect(await made.approve('s', ['other'])).toEqual([])
    expect(await made.approve('nobody')).toEqual([])
    await expect.poll(() => made.held(), { timeout: PATIENCE }).toHaveLength(1)
    // What has changed again while a person looked at it is not what the person agrees to.
    const seen = made.held()
    await made.call('mcp__s__echo', {})
    await expect.poll(() => made.held(), { timeout: PATIENCE }).not.toEqual(seen)
    expect(await made.approve('s', seen)).toEqual([])
    expect(await made.approve('s', made.held())).toMatchObject([{ tool: 'add' }])
    expect(names(made)).toEqual(['mcp__s__add', 'mcp__s__echo'])
    expect(made.held()).toEqual([])
  })
})

test('a server that wants credentials in the middle needs a person, is not asked again and loses its tools', async () => {
  let locked = false
  let asked = 0
  const server = await serveHostile('echo', {
    before(_request, response) {
      if (!locked) return false
      asked++
      response.writeHead(401).end()
      return true
    },
  })
  onTestFinished(() => server.close())
  const made = await settled({ s: { url: server.url, listen: 'off' } })
  expect(names(made)).toEqual(['mcp__s__echo'])
  locked = true
  expect(await made.call('mcp__s__echo', {})).toMatchObject({ isError: true, meta: { server: 's', kind: 'remote' } })
  expect(made.status()[0]).toMatchObject({ state: 'needs_auth', cause: 'wants credentials (401)', tools: 0 })
  expect(made.status()[0]?.hint).toContain('Put what it wants into `headers`')
  expect(only(made, 'mcp.server.needs-auth').severity).toBe('error')
  const before = asked
  const again = await made.call('mcp__s__echo', {})
  expect(again).toMatchObject({ isError: true, meta: { server: 's', phase: 'connect', kind: 'remote' } })
  expect(await made.ready()).toEqual({ ready: [], late: [], failed: ['s'] })
  expect(asked).toBeLessThanOrEqual(before + 1)

  // Another entry, such as one with a token, is another chance.
  locked = false
  await made.apply([inMemory({ s: { url: server.url, listen: 'off', headers: { authorization: 'Bearer abc' } } })])
  await made.ready({ within: PATIENCE })
  expect(names(made)).toEqual(['mcp__s__echo'])
})

test('a call that needs more than the credentials allow costs itself, not the other tools of the server', async () => {
  let forbidden = false
  const server = await serveHostile('named', {
    args: ['admin', 'read'],
    before(_request, response) {
      if (forbidden)
        response.writeHead(403, { 'www-authenticate': 'Bearer error="insufficient_scope"' }).end('needs admin')
      return forbidden
    },
  })
  onTestFinished(() => server.close())
  const made = await settled({ s: { url: server.url, listen: 'off', keepAlive: false } })
  forbidden = true
  const refused = await made.call('mcp__s__admin', {})
  forbidden = false
  expect(refused).toMatchObject({ isError: true, meta: { phase: 'call', kind: 'remote' } })
  expect(textOf(refused)).toContain('does not let these credentials in (403): needs admin')
  expect(made.status()[0]).toMatchObject({ state: 'ready', tools: 2 })
  expect(textOf(await made.call('mcp__s__read', {}))).toBe('read')
})

test('the server says how it is called', async () => {
  const made = await settled({ s: worker() })
  expect(made.status()[0]?.server).toEqual({ name: 'worker', version: '1.2.3', protocolVersion: '2025-06-18' })
})

test('every line that servers write to stderr is heard, with secrets masked', async () => {
  const lines: string[] = []
  await settled(
    { s: { ...hostile('exit'), reconnect: false } },
    { onLog: (server, line) => lines.push(`${server}: ${line}`) },
  )
  expect(lines).toEqual(['s: no database at db.sqlite'])
})

function context(more: { readonly progress: (update: { readonly progress: number }) => void }) {
  return {
    signal: new AbortController().signal,
    session: { id: '1', cwd: '/', origin: 'main', permissionMode: 'default' },
    callId: '1',
    idempotencyKey: '1',
    report: () => {},
    ...more,
  } as const
}
