import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { McpClient } from '../../src/index.js'
import { type HttpServer, serveHostile } from '../../src/testing/index.js'
import { hostile, isAlive, names, only, PATIENCE, settled, textOf, worker } from '../helpers.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-reconnect-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function pidsOf(made: McpClient, server = 's'): Promise<readonly number[]> {
  return textOf(await made.call(`mcp__${server}__pids`, {}))
    .split(' ')
    .map(Number)
}

const stateOf = (made: McpClient) => made.status()[0]?.state
const isReady = (made: McpClient) => expect.poll(() => stateOf(made), { timeout: PATIENCE }).toBe('ready')

describe('a server that is lost', () => {
  test('comes back with the same tools, and nothing of the one before is left, however often that happens', async () => {
    const made = await settled({ s: { ...worker({ child: true }), trust: true }, other: hostile('echo') })
    const before = made.tools()
    const text = JSON.stringify(before)
    const all: number[] = []
    for (let round = 0; round < 10; round++) {
      const pids = await pidsOf(made)
      all.push(...pids)
      process.kill(pids[0] ?? 0, 'SIGKILL')
      await expect.poll(() => all.filter(isAlive), { timeout: PATIENCE }).toEqual([])
      expect(made.tools()).toBe(before)
    }
    all.push(...(await pidsOf(made)))
    expect(new Set(all).size).toBe(22)
    expect(all.filter(isAlive)).toHaveLength(2)
    expect(made.tools()).toBe(before)
    expect(JSON.stringify(made.tools())).toBe(text)
    expect(only(made, 'mcp.server.lost').message).toContain(
      'was lost 10 times and is back; the last time it was ended by',
    )
  }, 60_000)

  test('is started once, whoever waits for it', async () => {
    const one = await settled({ s: worker() })
    const [pid = 0] = await pidsOf(one)
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => stateOf(one), { timeout: PATIENCE, interval: 1 }).not.toBe('ready')
    const pids = await Promise.all(Array.from({ length: 20 }, () => pidsOf(one)))
    expect(new Set(pids.flat()).size).toBe(1)
  })

  test('is given up after so many attempts, says so, and is tried once more when it is asked for after a rest', async () => {
    const reconnect = { attempts: 2, backoff: { min: '20ms', max: '300ms' } }
    const made = await settled({ s: { ...hostile('unready', join(folder, 'starts'), '2'), reconnect } })
    await expect
      .poll(() => [stateOf(made), made.status()[0]?.retryAt], { timeout: PATIENCE })
      .toEqual(['failed', undefined])
    expect(made.status()[0]?.cause).toContain('the database is starting')
    expect(await made.call('mcp__s__echo', {})).toMatchObject({ isError: true, meta: { phase: 'connect' } })
    await new Promise((resolve) => setTimeout(resolve, 350))
    expect(textOf(await made.call('mcp__s__echo', {}))).toContain('still connecting')
    await isReady(made)
    expect(textOf(await made.call('mcp__s__echo', { text: 'hi' }))).toBe('hi')
    expect(made.diagnostics).toEqual([])
  })

  test('fails at once when another attempt can not help', async () => {
    const made = await settled({ s: { command: 'no-such-program-at-all' } })
    expect(made.status()[0]).toMatchObject({ state: 'failed', tools: 0 })
    expect(made.status()[0]?.retryAt).toBeUndefined()
    expect(await made.ready()).toEqual({ ready: [], late: [], failed: ['s'] })
  })

  test('does not keep a call waiting longer than the call may take', async () => {
    const wake = join(folder, 'wake-never')
    await writeFile(wake, '')
    const made = await settled({ s: { ...worker({ wake }), timeout: { call: '400ms' } } })
    const [pid = 0] = await pidsOf(made)
    await rm(wake)
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => stateOf(made), { timeout: PATIENCE }).not.toBe('ready')
    const result = await made.call('mcp__s__read', {})
    expect(result).toMatchObject({ isError: true, meta: { server: 's', phase: 'connect', kind: 'network' } })
    expect(textOf(result)).toContain('was not back within 0.4 s: it was ended by SIGKILL. Nothing was sent.')
    const caller = new AbortController()
    const waiting = made.call('mcp__s__read', {}, { signal: caller.signal })
    caller.abort()
    await expect(waiting).rejects.toBe(caller.signal.reason)
    expect(made.status()[0]?.calls).toEqual({ running: 0, waiting: 0 })
  })
})

describe('tools of a server that is down for good', () => {
  const down = { ...worker({ tools: ['pids', 'read'] }), reconnect: false }

  test('are left out', async () => {
    const made = await settled({ s: down, other: hostile('echo') })
    process.kill((await pidsOf(made))[0] ?? 0, 'SIGKILL')
    await expect.poll(() => names(made), { timeout: PATIENCE }).toEqual(['mcp__other__echo'])
    expect(made.status()[1]).toMatchObject({ state: 'failed', cause: 'was ended by SIGKILL', tools: 0 })
  })

  test('are marked, if the program wants that, and say why they do not work', async () => {
    const made = await settled({ s: down }, { whenDown: 'mark' })
    process.kill((await pidsOf(made))[0] ?? 0, 'SIGKILL')
    await expect
      .poll(() => made.tools()[1]?.description, { timeout: PATIENCE })
      .toBe('[Not available now: the server s is down, it was ended by SIGKILL.] Says what it is told.')
    expect(names(made)).toEqual(['mcp__s__pids', 'mcp__s__read'])
    expect(textOf(await made.call('mcp__s__read', {}))).toContain('is down: it was ended by SIGKILL.')
  })
})

test('a server that dies in any call: what only reads goes through, and nothing is written twice', async () => {
  const file = join(folder, 'lines')
  await writeFile(file, '')
  const reconnect = { backoff: { min: '10ms', max: '50ms' } }
  const made = await settled({
    s: { ...worker({ file, crash: 0.03 }), trust: true, limits: { concurrency: 4 }, reconnect },
  })
  const results = await Promise.all(
    Array.from({ length: 500 }, async (_, index) => {
      const writes = index % 2 === 0
      const name = writes ? 'mcp__s__write' : 'mcp__s__read'
      const result = await made.call(name, writes ? { line: `line ${index}` } : { text: `text ${index}` })
      return { index, writes, result }
    }),
  )
  const reads = results.filter(({ writes }) => !writes)
  const recovered = reads.filter(({ index, result }) => !result.isError && textOf(result) === `text ${index}`)
  expect(recovered.length / reads.length).toBeGreaterThan(0.99)

  const lines = (await readFile(file, 'utf8')).trim().split('\n')
  expect(new Set(lines).size).toBe(lines.length)
  for (const { index, writes, result } of results) {
    if (!writes) continue
    if (!result.isError) expect(lines).toContain(`line ${index}`)
    else expect(result.meta).toMatchObject({ server: 's', kind: 'network' })
  }
  expect(only(made, 'mcp.server.lost').message).toMatch(/was lost \d+ times and is back/)
}, 60_000)

describe('a call that surely had no effect is sent again, once, although it writes', () => {
  test('when a server over HTTP has forgotten the session; the tools stay the same objects', async () => {
    const file = join(folder, 'http-lines')
    const server = await serveHostile('counter', { args: [file] })
    onTestFinished(() => server.close())
    const made = await settled({ s: { url: server.url } })
    const before = made.tools()
    for (let round = 1; round <= 50; round++) {
      server.forget()
      expect(textOf(await made.call('mcp__s__echo', { round }))).toBe(String(round))
      expect(made.tools()).toBe(before)
    }
    expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(50)
    expect(server.seen.filter((what) => what === 'POST initialize')).toHaveLength(51)
  })

  test('and not a second time, if the session is forgotten again', async () => {
    const server: HttpServer = await serveHostile('echo', {
      before() {
        if (server.seen.at(-1) === 'POST tools/call') server.forget()
        return false
      },
    })
    onTestFinished(() => server.close())
    const made = await settled({ s: { url: server.url } })
    const result = await made.call('mcp__s__echo', {})
    expect(result).toMatchObject({ isError: true, meta: { server: 's', phase: 'call', kind: 'network' } })
    expect(textOf(result)).toContain('no longer knows the session. It did nothing of what was asked.')
    expect(server.seen.filter((what) => what === 'POST tools/call')).toHaveLength(2)
  })
})
