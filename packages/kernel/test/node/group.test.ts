import { afterEach, describe, expect, it, vi } from 'vitest'
import { nodeProcess } from '../../src/node/index.js'
import { leavesNothing, linux, markedEnv, nextMark, survivors } from './survivors.js'

afterEach(() => void vi.restoreAllMocks())

describe('a child that nothing can end', () => {
  // What uninterruptible sleep or another user's process would be; neither can be had on demand.
  const ignoreKills = () => {
    const kill = process.kill.bind(process)
    vi.spyOn(process, 'kill').mockImplementation(() => true)
    return kill
  }
  const command = { shell: 'sh', script: 'echo $$; exec sleep 300' } as const

  it('is given up half a second after KILL', async () => {
    const kill = ignoreKills()
    const mark = nextMark()
    const result = await nodeProcess().run({ command, cwd: '/', env: markedEnv(mark), timeoutMs: 200, graceMs: 100 })
    expect(result).toMatchObject({ outcome: 'timed-out', exitCode: null, signal: null })
    expect(result.ms).toBeLessThan(1500)
    kill(Number(result.stdout), 'SIGKILL')
    await leavesNothing(mark)
  })

  it('lets a stop settle, while `exited` waits for the real end', async () => {
    const kill = ignoreKills()
    const mark = nextMark()
    const child = nodeProcess().start({ command, cwd: '/', env: markedEnv(mark) })
    const began = performance.now()
    await Promise.all([child.stop({ waitMs: 100, graceMs: 100 }), child.stop({ waitMs: 100, graceMs: 100 })])
    expect(performance.now() - began).toBeLessThan(1500)
    expect(await Promise.race([child.exited, 'still waiting'])).toBe('still waiting')
    kill(child.pid as number, 'SIGKILL')
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' })
    await leavesNothing(mark)
  })
})

it.skipIf(!linux)('a stranger that got the number of a child that is gone is left alone', async () => {
  const kill = process.kill.bind(process)
  const sent: unknown[] = []
  vi.spyOn(process, 'kill').mockImplementation((_pid, signal) => {
    sent.push(signal)
    return true
  })
  const mark = nextMark()
  const command = { shell: 'sh', script: 'sleep 300 & echo $!' } as const
  const result = await nodeProcess().run({ command, cwd: '/', env: markedEnv(mark), timeoutMs: 5000 })
  expect(result.outcome).toBe('ended')
  // Signal 0 asks whether somebody has the number, which the spy affirms.
  expect(sent).toEqual([0])
  expect(survivors(mark)).toEqual([result.stdout.trim()])
  kill(Number(result.stdout), 'SIGKILL')
  await leavesNothing(mark)
})
