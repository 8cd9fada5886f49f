import { expect, test } from 'vitest'
import { client, hostile, inMemory, isAlive, settled, textOf } from './helpers.js'

test('after close no process of any server is left, whatever it ignores', async () => {
  const made = await settled({ stubborn: hostile('stubborn'), tree: hostile('tree'), good: hostile('echo') })
  const answers = await Promise.all(made.tools().map((tool) => made.call(tool.name, {})))
  const pids = answers.flatMap((answer) => textOf(answer).split(' ')).map(Number)
  expect(pids).toHaveLength(4)
  expect(pids.filter(isAlive)).toEqual(pids)

  const started = performance.now()
  await made.close()
  expect(performance.now() - started).toBeLessThan(6000)
  await expect.poll(() => pids.filter(isAlive), { timeout: 2000 }).toEqual([])
  expect(made.status().map(({ state }) => state)).toEqual(['closed', 'closed', 'closed'])
  expect(made.tools()).toEqual([])
})

test('what a server started is ended with it when it dies', async () => {
  const made = await settled({ tree: { ...hostile('tree'), reconnect: { attempts: 0 } } })
  const [parent = 0, grandchild = 0] = textOf(await made.call('mcp__tree__echo', {}))
    .split(' ')
    .map(Number)
  process.kill(parent, 'SIGKILL')
  await expect.poll(() => isAlive(grandchild), { timeout: 5000 }).toBe(false)
  expect(made.status()).toMatchObject([{ state: 'failed', cause: 'was ended by SIGKILL' }])
})

test('close ends servers that are still connecting, and calls that wait', async () => {
  const made = await settled({ slow: hostile('slow') })
  const call = made.call('mcp__slow__echo', {})
  await made.close()
  expect(await call).toMatchObject({ isError: true, meta: { server: 'slow', kind: 'aborted' } })
  expect(await made.call('mcp__slow__echo', {})).toMatchObject({ isError: true, meta: { kind: 'aborted' } })

  const connecting = await client({ layers: [inMemory({ mute: hostile('mute') })] })
  await connecting.close()
  expect(connecting.status()).toMatchObject([{ name: 'mute', state: 'closed' }])
  expect(connecting.diagnostics).toEqual([])
  expect(await connecting.ready()).toEqual({ ready: [], late: [], failed: [] })
})

test('closing twice is closing once', async () => {
  const made = await settled({ s: hostile('echo') })
  await Promise.all([made.close(), made.close()])
  await made[Symbol.asyncDispose]()
  expect(made.status()).toMatchObject([{ state: 'closed' }])
})

test('all servers together have one deadline, whatever each of them would be given', async () => {
  const servers = { a: hostile('stubborn'), b: hostile('stubborn'), c: hostile('tree') }
  const made = await settled(servers, { ending: { waitMs: 60_000, graceMs: 60_000, totalMs: 800 } })
  const answers = await Promise.all(made.tools().map((tool) => made.call(tool.name, {})))
  const pids = answers.flatMap((answer) => textOf(answer).split(' ')).map(Number)
  const started = performance.now()
  await made.close()
  expect(performance.now() - started).toBeLessThan(5000)
  await expect.poll(() => pids.filter(isAlive), { timeout: 2000 }).toEqual([])
})

test('close also ends servers that are being replaced at that moment', async () => {
  const made = await settled({ s: hostile('stubborn') })
  const [tool] = made.tools()
  const pid = Number(textOf(await made.call(tool?.name ?? '', {})))
  await made.apply([inMemory({ s: hostile('echo') })])
  await made.close()
  await expect.poll(() => isAlive(pid), { timeout: 2000 }).toBe(false)
  expect(made.status()).toMatchObject([{ name: 's', state: 'closed' }])
})
