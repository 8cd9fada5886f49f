import { mkdtempSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { minimalEnv } from '@ext/kernel/env'
import { nodeClock, nodePorts, nodeProcess } from '@ext/kernel/node'
import { describe, expect, it } from 'vitest'
import { createAgent } from '../../src/index.js'
import { shellTool } from '../../src/tools/index.js'
import type { AgentOptions } from '../../src/types.js'
import { gate, ofType, resultTexts, scripted } from '../kit.js'

const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'tasks-')))
const process = nodeProcess()
const env = minimalEnv(nodePorts().env, 'linux')
const END = { say: 'done' }
const start = (command: string) => ({ tool: 'Bash', input: { command, run_in_background: true } })
const look = (wait_ms = 30_000) => ({ tool: 'task_output', input: { task_id: 'task-1', wait_ms } })

function open(model: AgentOptions['model'], more: Partial<AgentOptions> = {}) {
  return createAgent({
    model,
    tools: [shellTool({ process, env, background: true })],
    gate: gate(),
    tasks: {},
    ports: { clock: nodeClock() },
    ...more,
  })
}

/** Without an init that collects it, a dead orphan stays as a zombie. */
function isGone(pid: number): boolean {
  try {
    return /^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return true
  }
}

describe('a command in the background', () => {
  it('has no input, shows both outputs and its exit code, and one that fails is a failure', async () => {
    const agent = await open(
      scripted({ calls: [start('cat; echo out; echo err >&2; exit 3')] }, { calls: [look()] }, END),
    )
    const session = agent.session({ cwd })
    await session.run('go').result
    const [started, shown] = resultTexts(session)
    expect(started).toContain('Started in the background as task-1.')
    expect(shown).toMatch(/^\[task-1, command, failed: exit code 3, \d s\] cat; echo out/)
    expect(shown?.split('\n').slice(1).sort()).toEqual(['', 'err', 'out'])
    await agent.close()
  })

  it('can be looked at while it runs, and is ended with all that it has started', async () => {
    const agent = await open(
      scripted(
        { calls: [start('sleep 300 & echo $! $$; wait')] },
        { calls: [look(400)] },
        { calls: [{ tool: 'task_stop', input: { task_id: 'task-1' } }] },
        END,
      ),
    )
    const session = agent.session({ cwd })
    await session.run('go').result
    const [, shown = '', stopped] = resultTexts(session)
    expect(shown).toMatch(/^\[task-1, command, running, \d s\]/)
    expect(stopped).toMatch(/^\[task-1, command, cancelled: you have stopped it/)
    const pids = (/^(\d+) (\d+)$/m.exec(shown) ?? []).slice(1).map(Number)
    expect(pids).toHaveLength(2)
    expect(pids.map(isGone)).toEqual([true, true])
    await agent.close()
  })

  it('that never ends, and does not listen to TERM, is gone after the end of the session', async () => {
    const agent = await open(
      scripted({ calls: [start('trap "" TERM; echo $$; while :; do sleep 1; done')] }, { calls: [look(400)] }, END),
    )
    const session = agent.session({ cwd })
    await session.run('go').result
    const [pid] = (/^(\d+)$/m.exec(resultTexts(session)[1] ?? '') ?? []).slice(1).map(Number)
    expect(isGone(Number(pid))).toBe(false)
    const events = await agent.close()
    expect(ofType(events, 'task_end')).toMatchObject([{ state: 'cancelled' }])
    expect(isGone(Number(pid))).toBe(true)
  })

  it('that can not be started has failed', async () => {
    const agent = await open(scripted({ calls: [start('true')] }, { calls: [look()] }, END))
    const session = agent.session({ cwd: join(cwd, 'gone') })
    await session.run('go').result
    expect(resultTexts(session)[1]).toContain('failed: could not start: ')
    await agent.close()
  })

  it('is refused with a word where nothing runs in the background', async () => {
    const { tasks: _, ...without } = { tasks: undefined }
    const agent = await createAgent({
      model: scripted({ calls: [start('true')] }, END),
      tools: [shellTool({ process, env, background: true })],
      gate: gate(),
      ports: { clock: nodeClock() },
      ...without,
    })
    const session = agent.session({ cwd })
    await session.run('go').result
    expect(resultTexts(session)).toEqual(['Not started: here nothing runs in the background. Run it without that.'])
  })
})
