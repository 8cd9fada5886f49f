import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { client, hostile, inMemory, names, PATIENCE, textOf, worker } from './helpers.js'

async function folderForTest(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-ready-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('nine good servers are used while a tenth is mute; it is named with its reason, and joins when it wakes', async () => {
  const wake = join(await folderForTest(), 'wake')
  const good = Array.from({ length: 9 }, (_, index) => [`good-${index}`, hostile('echo')] as const)
  const mute = {
    ...worker({ wake, tools: ['read'] }),
    timeout: { connect: '8s' },
    reconnect: { backoff: { min: '20ms', max: '50ms' } },
  }
  const made = await client({ layers: [inMemory({ ...Object.fromEntries(good), mute })] })
  await expect.poll(() => made.tools().length, { timeout: 7000 }).toBe(9)
  // The mute one has neither answered nor failed, so nobody has waited for it.
  const report = await made.ready({ within: 1 })
  expect(report).toEqual({ ready: good.map(([name]) => name), late: ['mute'], failed: [] })
  expect(textOf(await made.call('mcp__good-8__echo', { text: 'hi' }))).toBe('hi')

  expect(await made.ready({ within: PATIENCE })).toMatchObject({ late: [], failed: ['mute'] })
  expect(made.status().find(({ name }) => name === 'mute')?.cause).toBe('gave no answer to initialize within 8 s')
  expect(made.diagnostics).toMatchObject([
    { code: 'mcp.server.failed', message: '`mute` gave no answer to initialize within 8 s.' },
  ])

  let changes = 0
  made.onChange(() => changes++)
  await writeFile(wake, '')
  await expect.poll(() => names(made), { timeout: PATIENCE }).toContain('mcp__mute__read')
  expect(changes).toBeGreaterThan(0)
  expect(await made.ready()).toMatchObject({ late: [], failed: [] })
  expect(made.diagnostics).toEqual([])
}, 40_000)

test('a listener that throws is reported and disturbs neither the servers nor the other listeners', async () => {
  const made = await client({ layers: [inMemory({ a: hostile('echo') })] })
  let heard = 0
  made.onChange(() => {
    throw new Error('oops')
  })
  // Nobody waits for it, and it must not end the program.
  made.onChange(async () => {
    throw new Error('oops later')
  })
  made.onChange(() => heard++)
  const stop = made.onChange(() => {
    heard += 100
  })
  stop()
  await made.ready({ within: PATIENCE })
  await expect.poll(() => heard).toBeGreaterThan(0)
  expect(heard).toBeLessThan(100)
  expect(textOf(await made.call('mcp__a__echo', { text: 'hi' }))).toBe('hi')
  expect(made.diagnostics).toMatchObject([
    { code: 'mcp.listener.failed', severity: 'warning', message: '`onChange` threw an error: oops.' },
    { code: 'mcp.listener.failed', severity: 'warning', message: '`onChange` threw an error: oops later.' },
  ])
})

test('a thousand sessions share the connections of one client', async () => {
  const made = await client({ layers: [inMemory({ a: hostile('echo') })] })
  await made.ready({ within: PATIENCE })
  const sessions = Array.from({ length: 1000 }, (_, index) =>
    made.session({ id: String(index), cwd: '/', origin: 'main', permissionMode: 'default' }),
  )
  for (const session of sessions) expect(session.tools()).toBe(made.tools())
  const pids = await Promise.all(sessions.map(async () => textOf(await made.call('mcp__a__echo', {}))))
  expect(new Set(pids).size).toBe(1)
})

test('servers that wait for consent or are switched off have a row that says so, and are in no report', async () => {
  const made = await client({
    layers: [
      inMemory({ a: hostile('echo') }, { layer: 'project', name: 'project' }),
      inMemory({ b: { enabled: false } }),
    ],
  })
  expect(await made.ready()).toEqual({ ready: [], late: [], failed: [] })
  expect(made.status()).toMatchObject([
    { name: 'a', state: 'untrusted', hint: 'Read what it would start or reach, then approve it.', tools: 0, held: 0 },
    { name: 'b', state: 'disabled', hint: 'Its entry says `enabled: false`.', calls: { running: 0, waiting: 0 } },
  ])
})
