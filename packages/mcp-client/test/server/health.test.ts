import { expect, test } from 'vitest'
import { hostile, PATIENCE, settled, textOf, worker } from '../helpers.js'

const keepAlive = { interval: '200ms', timeout: '900ms' }

test('a server that falls silent is degraded, then started again, without any call', async () => {
  const made = await settled({ s: { ...worker(), keepAlive, timeout: { call: '1s' } } })
  const pid = textOf(await made.call('mcp__s__pids', {}))
  await made.call('mcp__s__stick', {})
  const states: string[] = []
  made.onChange(() => {
    const { state, cause = '' } = made.status()[0] ?? {}
    states.push(`${state}: ${cause}`)
  })
  await expect.poll(() => states.at(-1), { timeout: PATIENCE }).toBe('ready: ')
  expect([...new Set(states)]).toEqual([
    'degraded: did not answer a ping within 0.9 s',
    'failed: did not answer 2 pings in a row within 0.9 s',
    'connecting: did not answer 2 pings in a row within 0.9 s',
    'ready: ',
  ])
  expect(textOf(await made.call('mcp__s__pids', {}))).not.toBe(pid)
})

test('one that is started again because it was silent is called at once, however many calls had failed before', async () => {
  const limits = { breaker: { failures: 2, cooldown: '60s' } }
  const made = await settled({ s: { ...worker(), limits, keepAlive, timeout: { call: '1s' } } })
  await Promise.all([made.call('mcp__s__stick', {}), made.call('mcp__s__stick', {})])
  expect(await made.call('mcp__s__read', {})).toMatchObject({ isError: true, meta: { kind: 'limited' } })
  await expect.poll(() => made.status()[0]?.state, { timeout: PATIENCE, interval: 5 }).toBe('ready')
  expect(textOf(await made.call('mcp__s__read', { text: 'hi' }))).toBe('hi')
})

test('one from which calls are kept stays degraded, although it answers pings', async () => {
  const limits = { breaker: { failures: 1, cooldown: '60s' } }
  const asked = { interval: '100ms', timeout: '5s' }
  const made = await settled({ s: { ...hostile('slow'), limits, keepAlive: asked, timeout: { call: '100ms' } } })
  await made.call('mcp__s__echo', {})
  const states = new Set<string>()
  made.onChange(() => states.add(String(made.status()[0]?.state)))
  await new Promise((resolve) => setTimeout(resolve, 1000))
  expect([...states].filter((state) => state !== 'degraded')).toEqual([])
  expect(made.status()[0]?.state).toBe('degraded')
  expect(await made.call('mcp__s__echo', {})).toMatchObject({ isError: true, meta: { kind: 'limited' } })
})

test('a server is not asked while it works, however long that takes', async () => {
  const made = await settled({ s: { ...hostile('noping'), keepAlive }, t: { ...worker(), keepAlive } })
  const states = new Set<string>()
  made.onChange(() => states.add(String(made.status()[1]?.state)))
  const working = made.call('mcp__t__wait', { ms: 3000 })
  await expect.poll(() => made.status()[0]?.state, { timeout: PATIENCE }).toBe('degraded')
  expect(textOf(await working)).toBe('done')
  expect([...states].filter((state) => state !== 'ready')).toEqual([])
})

test('a server that answers calls is well, even if it knows no pings', async () => {
  const made = await settled({ s: { ...hostile('noping'), keepAlive: { interval: '2s', timeout: '900ms' } } })
  const states = new Set<string>()
  made.onChange(() => states.add(String(made.status()[0]?.state)))
  for (let call = 0; call < 20; call++) {
    await made.call('mcp__s__echo', {})
    await new Promise((resolve) => setTimeout(resolve, 150))
  }
  expect([...states]).toEqual([])
})

test('without health checks a silent server stays as it is', async () => {
  const made = await settled({ s: { ...worker(), keepAlive: false, timeout: { call: '100ms' } } })
  await made.call('mcp__s__stick', {})
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(made.status()[0]).toMatchObject({ state: 'ready' })
})
