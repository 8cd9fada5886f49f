import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { nodeProcess } from '../../src/node/index.js'
import { leavesNothing, linux, markedEnv, nextMark, sleep, watchdogsOf } from './survivors.js'

/** Windows' ways on this machine, with a script for its taskkill. Whether Windows does the same is not shown here. */
describe.skipIf(!linux)('on Windows', () => {
  let folder = ''
  const { run, start } = nodeProcess({ platform: 'win32' })
  const calls = async () => (await readFile(join(folder, 'calls'), 'utf8').catch(() => '')).trim().split('\n')
  /** @param script what taskkill does with `$2`, the pid */
  const taskkill = async (script: string) => {
    const file = join(folder, 'System32', 'taskkill.exe')
    await writeFile(file, `#!/bin/sh\necho "$@" >>${folder}/calls\n${script}\n`)
    await chmod(file, 0o755)
  }
  // Stopped first: a shell whose child is gone goes on to start the next one.
  const endTree = 'kill -STOP "$2"; pkill -KILL -P "$2"; kill -KILL "$2"'

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ext-windows-'))
    await mkdir(join(folder, 'System32'))
    vi.stubEnv('SystemRoot', folder)
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true, force: true })
  })

  it('a command runs to its end, in both forms, with no mark and no watchdog', async () => {
    const before = watchdogsOf(process.pid)
    const request = { cwd: folder, env: markedEnv(nextMark()), timeoutMs: 5000 }
    const argv = await run({ ...request, command: { file: 'sh', args: ['-c', 'echo "$1|$EXT_RUN_ID"', '', 'a b'] } })
    const shell = await run({ ...request, command: { shell: 'sh', script: 'cat; exit 3' }, stdin: 'x' })
    expect([argv.stdout, shell.stdout, shell.exitCode]).toEqual(['a b|\n', 'x', 3])
    expect(watchdogsOf(process.pid)).toEqual(before)
  })

  it('a command that is timed out is ended with its descendants, at once', async () => {
    await taskkill(endTree)
    const mark = nextMark()
    const command = { shell: 'sh', script: 'trap "" TERM; sleep 300 & echo $$; wait; sleep 300' } as const
    const result = await run({ command, cwd: folder, env: markedEnv(mark), timeoutMs: 500 })
    expect(result.outcome).toBe('timed-out')
    expect(result.ms).toBeLessThan(1500)
    expect(await calls()).toContain(`/PID ${result.stdout.trim()} /T /F`)
    await leavesNothing(mark)
  })

  it.each(['exit 1', 'exit 0', 'no taskkill'])(
    'the child itself is ended if there is nothing but: %s',
    async (script) => {
      if (script === 'no taskkill') await rm(join(folder, 'System32', 'taskkill.exe'))
      else await taskkill(script)
      const mark = nextMark()
      const command = { shell: 'sh', script: 'exec sleep 300' } as const
      const result = await run({ command, cwd: folder, env: markedEnv(mark), timeoutMs: 200, graceMs: 200 })
      expect(result.outcome).toBe('timed-out')
      await leavesNothing(mark)
    },
  )

  it('a child that is talked to is ended with its descendants', async () => {
    await taskkill(endTree)
    const mark = nextMark()
    const child = start({
      command: { file: 'sh', args: ['-c', 'sleep 300 & wait'] },
      cwd: folder,
      env: markedEnv(mark),
    })
    await sleep(200)
    await child.stop({ waitMs: 100 })
    await leavesNothing(mark)
  })

  it('a program that does not exist is said so', async () => {
    const command = { file: 'no-such-program-here', args: [] }
    const result = await run({ command, cwd: folder, env: {}, timeoutMs: 500 })
    expect(result).toMatchObject({ outcome: 'cannot-start', message: expect.stringContaining('was not found') })
  })
})
