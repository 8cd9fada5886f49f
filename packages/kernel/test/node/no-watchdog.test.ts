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
  ['there is no shell', '/no/such/sh', 'spawn /no/such/sh ENOENT', false],
  ['it ends at once', 'false', 'it ended with 1', true],
  ['starting it throws', 'nul\0', 'null bytes', true],
])(
  'without a watchdog, because %s, children run all the same, and it is said once',
  async (_why, file, why, isRetried) => {
    shell = file
    spawned.length = 0
    const heard: string[] = []
    const port = nodeProcess({ report: (message) => heard.push(message) })
    for (let i = 0; i < 3; i++) expect(await port.run(request)).toMatchObject({ outcome: 'ended', stdout: 'x\n' })
    await port.start(request).stop()
    expect(heard).toEqual([expect.stringMatching(/^The watchdog failed: .+ Children can outlive this process/)])
    expect(heard[0]).toContain(why)
    expect(spawned.length > 1).toBe(isRetried)
  },
)
