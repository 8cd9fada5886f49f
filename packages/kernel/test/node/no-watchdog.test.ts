import type * as childProcess from 'node:child_process'
import { expect, it, vi } from 'vitest'
import { nodeProcess } from '../../src/node/index.js'

let shell = ''
const spawned: string[] = []

vi.mock('node:child_process', async (importOriginal) => {
  const original = await importOriginal<typeof childProcess>()
  const spawn = (file: string, args: string[], options: childProcess.SpawnOptions) => {
    const isWatchdog = args[2] === 'ext-watchdog'
    if (isWatchdog) spawned.push(shell)
    return original.spawn(isWatchdog ? shell : file, args, options)
  }
  return { ...original, spawn }
})

const request = { command: { shell: 'sh', script: 'echo x; sleep 0.1' }, cwd: '/', env: {}, timeoutMs: 5000 } as const

it.each([
  ['there is no shell', '/no/such/sh', 1, 'spawn /no/such/sh ENOENT'],
  ['it ends at once', 'false', 3, 'it ended with 1'],
])('without a watchdog, because %s, children run all the same, and it is said once', async (_why, file, tries, why) => {
  shell = file
  spawned.length = 0
  const heard: string[] = []
  const port = nodeProcess({ report: (message) => heard.push(message) })
  for (let i = 0; i < 3; i++) expect(await port.run(request)).toMatchObject({ outcome: 'ended', stdout: 'x\n' })
  const child = port.start(request)
  await child.stop()
  expect(heard).toEqual([`The watchdog failed: ${why}. Children can outlive this process if it is killed.`])
  expect(spawned.length).toBeGreaterThanOrEqual(tries)
  if (tries === 1) expect(spawned).toHaveLength(1)
})
