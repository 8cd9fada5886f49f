import { getEventListeners, setMaxListeners } from 'node:events'
import type { ClockPort } from '@ext/kernel'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Endpoint, Launch } from '../../src/compiled.js'
import { connect } from '../../src/connect/connect.js'
import { clock, hostOf, remoteOf, served } from './ground.js'

const AT_ONCE = 20

/** A server in a shell, which starts within milliseconds and knows one answer. */
const SHELL_SERVER = `read -r line
echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}'
read -r line
read -r line
echo '{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}'
while read -r line; do :; done`

const shell: Launch = {
  kind: 'stdio',
  command: { shell: 'sh', script: SHELL_SERVER },
  cwd: process.cwd(),
  protocol: '2025',
  env: { PATH: '/usr/bin:/bin' },
}

/** Opens and closes sessions again and again, with one signal for all; what is open before and after. */
async function cycle(endpoint: Endpoint, times: number) {
  let timers = 0
  const counting: ClockPort = {
    now: clock.now,
    after(ms, fn) {
      timers++
      let counted = true
      const release = () => {
        if (counted) timers--
        counted = false
      }
      const cancel = clock.after(ms, () => {
        release()
        fn()
      })
      return () => {
        release()
        cancel()
      }
    },
  }
  const shared = new AbortController()
  setMaxListeners(2 * AT_ONCE, shared.signal)
  const warnings: string[] = []
  const warn = (warning: Error) => warnings.push(warning.message)
  process.on('warning', warn)
  onTestFinished(() => void process.off('warning', warn))
  const once = async () => {
    const session = connect(endpoint, hostOf({ clock: counting }))
    await session.open(shared.signal)
    await session.list('tools', undefined, shared.signal)
    await session.close({ waitMs: 2000, graceMs: 1000 })
    await session.closed
  }
  await once()
  const listeners = process.eventNames().map((name) => [name, process.listenerCount(name)])
  const resources = open()
  let left = times
  const worker = async () => {
    while (left-- > 0) await once()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  await vi.waitUntil(() => count(open()) <= count(resources), { timeout: 5000, interval: 50 })
  expect(timers).toBe(0)
  expect(getEventListeners(shared.signal, 'abort')).toHaveLength(0)
  expect(process.eventNames().map((name) => [name, process.listenerCount(name)])).toEqual(listeners)
  expect(warnings).toEqual([])
}

/** Handles of this process besides idle connections, which the client of Node keeps to use them again. */
function open(): readonly string[] {
  return process.getActiveResourcesInfo().filter((name) => !/^(TCPSocketWrap|Timeout|Immediate)$/.test(name))
}

function count(resources: readonly string[]): number {
  return resources.length
}

// A process costs 25 ms on a busy machine, so these are fewer.
test('250 sessions over stdio leave no timer, listener or pipe behind', { timeout: 60_000 }, async () => {
  await cycle(shell, 250)
})

test('1,000 sessions over HTTP leave no timer, listener or session behind', { timeout: 60_000 }, async () => {
  const server = await served('echo', { answer: 'json' })
  await cycle(remoteOf(server.url, { listen: 'off' }), 1000)
  expect(server.sessions).toBe(0)
  await vi.waitUntil(() => server.connections === 0, { timeout: 10_000, interval: 50 })
})

test('sessions that could not be opened leave nothing behind, either', async () => {
  const server = await served('mute')
  for (let time = 0; time < 50; time++) {
    const session = connect(remoteOf(server.url), hostOf())
    const { signal } = abortedAfter(5)
    await expect(session.open(signal)).rejects.toThrow('was not waited for')
    await session.close()
    await session.closed
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  }
  await vi.waitUntil(() => server.connections <= 1, { timeout: 10_000, interval: 50 })
})

function abortedAfter(ms: number): AbortController {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), ms)
  return controller
}
