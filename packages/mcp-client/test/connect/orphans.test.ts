import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type HostileMode, hostileServer } from '@ext/mcp-client/testing'
import { expect, test, vi } from 'vitest'
import { connect } from '../../src/connect/connect.js'
import { isAlive } from '../helpers.js'
import { call, hostOf, launchOf, never } from './ground.js'

const CYCLES = 100
const AT_ONCE = 10
const SOON = { timeout: 10_000, interval: 20 }
/** Both ignore TERM: one itself, one as a child of its server. */
const MODES = ['stubborn', 'tree'] as const satisfies readonly HostileMode[]

test('100 starts and ends of servers that do not want to end leave no process', { timeout: 120_000 }, async () => {
  const pids: number[] = []
  let cycle = 0
  const worker = async () => {
    while (cycle < CYCLES) {
      const session = connect(launchOf(MODES[cycle++ % 2] ?? 'tree'), hostOf())
      await session.open(never)
      const own = (await call(session)).split(' ').map(Number)
      pids.push(...own)
      await session.close({ waitMs: 50, graceMs: 200 })
      expect(own.slice(0, 1).filter(isAlive)).toEqual([])
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  expect(pids).toHaveLength(CYCLES * 1.5)
  await vi.waitUntil(() => pids.filter(isAlive).length === 0, SOON)
})

test('a host that is killed leaves no server, and nothing that a server started', { timeout: 60_000 }, async () => {
  const script = fileURLToPath(new URL('../fixtures/host.mjs', import.meta.url))
  const servers = Object.fromEntries(MODES.map((mode) => [mode, { ...hostileServer(mode), trust: true }]))
  const host = spawn(process.execPath, [script, JSON.stringify(servers)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const pids: number[] = []
  for await (const line of createInterface({ input: host.stdout })) {
    pids.push(...line.split(' ').map(Number))
    if (pids.length === 3) break
  }
  expect(pids.filter(isAlive)).toHaveLength(3)
  host.kill('SIGKILL')
  await vi.waitUntil(() => pids.filter(isAlive).length === 0, SOON)
})
