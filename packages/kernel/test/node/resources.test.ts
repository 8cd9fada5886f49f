import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundlePort, hostArguments } from './hosts.js'
import { leavesNothing, linux, nextMark } from './survivors.js'

let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ext-resources-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe.skipIf(!linux)('two hundred children, aborted at any moment', () => {
  it('leave no listener, timer, file handle or process behind', async () => {
    const program = `
      const { getEventListeners } = await import('node:events')
      const { readdirSync } = await import('node:fs')
      const files = () => readdirSync('/proc/self/fd').length
      const command = sh('echo x; sleep 0.02; sleep 0.02; cat >/dev/null')
      const request = { command, cwd: '/', env, timeoutMs: 5000, graceMs: 500, stdin: 'x'.repeat(100_000) }
      await run(request)
      await new Promise((resolve) => setTimeout(resolve, 200))
      const active = () => process.getActiveResourcesInfo().sort().join()
      const before = { files: files(), active: active() }

      const outcomes = new Set()
      const listeners = []
      const one = async () => {
        const controller = new AbortController()
        const timer = setTimeout(() => controller.abort(), Math.random() * 80)
        outcomes.add((await run({ ...request, signal: controller.signal })).outcome)
        clearTimeout(timer)
        listeners.push(...getEventListeners(controller.signal, 'abort'))
      }
      for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 5 }, one))
      for (let i = 0; i < 20; i++) {
        const children = Array.from({ length: 5 }, () => start({ command, cwd: '/', env }))
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 80))
        await Promise.all(children.map((child) => child.stop({ waitMs: 0, graceMs: 100 })))
      }
      await new Promise((resolve) => setTimeout(resolve, 200))
      console.log(JSON.stringify({
        outcomes: [...outcomes].sort(),
        listeners: listeners.length,
        files: files() - before.files,
        active: active() === before.active || active(),
      }))`
    const mark = nextMark()
    const args = hostArguments(await bundlePort(folder), program)
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, MARK: mark } })
    expect(JSON.parse(stdout)).toEqual({ outcomes: ['aborted', 'ended'], listeners: 0, files: 0, active: true })
    await leavesNothing(mark)
  })
})
