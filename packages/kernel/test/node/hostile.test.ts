import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Command, type ProcessRequest, settleAll } from '../../src/index.js'
import { nodeProcess } from '../../src/node/index.js'
import { hostileChildren } from '../../src/testing/index.js'
import { leavesNothing, linux, markedEnv, nextMark, settles, sleep, survivors } from './survivors.js'

const { run, start } = nodeProcess()
const soak = Boolean(process.env['EXT_SOAK'])
let cwd = ''

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'ext-hostile-'))
})
afterAll(() => rm(cwd, { recursive: true, force: true }))

const sh = (script: string) => ({ shell: 'sh', script }) as const
const node = (script: string) => ({ file: process.execPath, args: ['-e', script] }) as const
const settle = (command: Command, request: Partial<ProcessRequest> = {}) => settles({ command, cwd, ...request }, run)

describe('hostile children', () => {
  const missing = { command: { file: 'no-such-program-here', args: [] }, outcome: 'cannot-start' } as const
  const kinds: Record<string, { command: Command; stdin?: string; outcome: string }> = { missing }
  for (const [name, { script, ...rest }] of Object.entries(hostileChildren)) {
    if (name === 'leavesItsGroup' && !linux) continue
    kinds[name] = { command: sh(script), ...rest }
  }
  const names = Object.keys(kinds)
  const count = soak ? 100 * names.length : 100
  const limitMs = soak ? 60 * 60_000 : 60_000

  it(`settle in time and leave no process, ${count} of them, ten at a time`, { timeout: limitMs * 2 }, async () => {
    const began = performance.now()
    const turns = Array.from({ length: count }, (_, turn) => names[turn % names.length] as string)
    const outcomes = await settleAll(
      turns,
      async (name) => {
        const { outcome: _, ...request } = kinds[name] as (typeof kinds)[string]
        return (await settles({ cwd, ...request }, run)).outcome
      },
      { limit: 10 },
    )
    const expected = turns.map((name) => ({ name, status: 'done', value: kinds[name]?.outcome }))
    expect(outcomes.map((outcome, turn) => ({ name: turns[turn], ...outcome }))).toEqual(expected)
    expect(performance.now() - began).toBeLessThan(limitMs)
  })
})

describe.concurrent('a hostile child', () => {
  it('that ignores TERM is killed', async () => {
    const result = await settle(sh('trap "" TERM; echo up; while :; do sleep 1; done'))
    expect(result).toMatchObject({ outcome: 'timed-out', exitCode: null, stdout: 'up\n' })
    expect(result.ms).toBeGreaterThan(1900)
  })

  it('that ends at TERM settles at once, with its last words', async () => {
    const result = await settle(sh('trap "echo bye; exit 0" TERM; sleep 30 & wait'))
    expect(result).toMatchObject({ outcome: 'timed-out', exitCode: null, stdout: 'bye\n' })
    expect(result.ms).toBeLessThan(1800)
  })

  it('that leaves a grandchild with its pipes is done when it ends itself, and the grandchild goes', async () => {
    const result = await settle(sh('sleep 300 & echo started'))
    expect(result).toMatchObject({ outcome: 'ended', exitCode: 0, stdout: 'started\n' })
  })

  it('that leaves a grandchild without its pipes takes it along', async () => {
    expect(await settle(sh('sleep 300 >/dev/null 2>&1 </dev/null & echo x'))).toMatchObject({ outcome: 'ended' })
  })

  it('that has ended is not timed out while a grandchild holds its pipes', async () => {
    // The child takes some 20 ms and the pipes are given 100 ms more; on a busy machine it takes several attempts.
    for (let attempt = 0; attempt < 20; attempt++) {
      const result = await settle(sh('sleep 300 & exit 4'), { timeoutMs: 95 })
      if (result.outcome === 'timed-out' || result.ms < 95) continue
      expect(result).toMatchObject({ outcome: 'ended', exitCode: 4 })
      return
    }
    expect.unreachable('It was timed out every time.')
  })

  it('that never reads 8 MiB of input is timed out, and that is said', async () => {
    const result = await settle(sh('sleep 30'), { stdin: 'x'.repeat(8 * 1024 * 1024) })
    expect(result).toMatchObject({ outcome: 'timed-out', inputNotRead: true })
  })

  it('that ends at once with 8 MiB of input unread is no error', async () => {
    const result = await settle(sh('exit 0'), { stdin: 'x'.repeat(8 * 1024 * 1024) })
    expect(result).toMatchObject({ outcome: 'ended', exitCode: 0, inputNotRead: true })
  })

  it('that closes its input and goes on is no error', async () => {
    const result = await settle(sh('exec 0<&-; sleep 0.2; echo x'), { stdin: 'x'.repeat(8 * 1024 * 1024) })
    expect(result).toMatchObject({ outcome: 'ended', exitCode: 0, stdout: 'x\n', inputNotRead: true })
  })

  it('that floods its output is kept to the limit, and the rest is counted', async () => {
    const result = await settle(sh('head -c 5000000 /dev/zero; head -c 3000000 /dev/zero >&2'), {
      maxOutputBytes: 1000,
    })
    expect(result).toMatchObject({ outcome: 'ended', exitCode: 0, stdoutBytes: 5_000_000, stderrBytes: 3_000_000 })
    expect([result.stdout.length, result.stderr.length]).toEqual([1000, 1000])
  })

  it('that floods its output for ever is timed out, with the first MiB kept', async () => {
    const result = await settle(sh('yes'))
    expect(result.outcome).toBe('timed-out')
    expect(result.stdout).toHaveLength(1024 * 1024)
    expect(result.stdoutBytes).toBeGreaterThan(1024 * 1024)
  })

  it('that is cut inside a character ends in the replacement character', async () => {
    const result = await settle(node('process.stdout.write("ä".repeat(10))'), { maxOutputBytes: 5 })
    expect(result.stdout).toBe('ää\uFFFD')
  })

  it('that dies in the middle of its output gives what came', async () => {
    expect(await settle(sh('echo half; kill -9 $$'))).toMatchObject({ stdout: 'half\n', signal: 'SIGKILL' })
  })
})

describe.skipIf(!linux)('a descendant that left the process group', () => {
  const leave = (script: string) => `setsid sh -c '${script}' & while [ ! -s pid ]; do sleep 0.02; done`
  const stubborn = `trap "" TERM; echo $$ >pid; while :; do sleep 1; done`
  const folder = () => mkdtemp(join(cwd, 'leaves-'))

  it('is ended with the command that is timed out', async () => {
    const result = await settle(sh(`${leave(stubborn)}; sleep 300`), { cwd: await folder() })
    expect(result.outcome).toBe('timed-out')
  })

  it('lives on after a command that ended by itself, since it may be meant to', async () => {
    const mark = nextMark()
    const command = sh(leave('exec >/dev/null 2>&1 </dev/null; echo $$ >pid; exec sleep 300'))
    const result = await run({ command, cwd: await folder(), env: markedEnv(mark), timeoutMs: 10_000 })
    expect(result).toMatchObject({ outcome: 'ended', exitCode: 0 })
    await sleep(200)
    const [pid, ...others] = survivors(mark)
    expect(others).toEqual([])
    process.kill(Number(pid), 'SIGKILL')
    await leavesNothing(mark)
  })

  it.each(['exit 3', 'read line', 'sleep 300'])('is ended with a child that is talked to and does: %s', async (end) => {
    const mark = nextMark()
    const child = start({
      command: sh(`${leave(stubborn)}; echo up; ${end}`),
      cwd: await folder(),
      env: markedEnv(mark),
    })
    await new Promise<void>((resolve) => child.onStdout(() => resolve()))
    await child.stop({ waitMs: 200, graceMs: 200 })
    await leavesNothing(mark)
  })
})
