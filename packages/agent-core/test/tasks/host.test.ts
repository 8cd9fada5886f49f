import type { BackgroundWork } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import { defineTool } from '../../src/index.js'
import type { AgentDefinition } from '../../src/types.js'
import {
  type AgentSetup,
  byNow,
  collect,
  never,
  nonsense,
  ofType,
  resultTexts,
  scripted,
  settle,
  setUp,
} from '../kit.js'

const END = { say: 'done' }
const worker: AgentDefinition = { name: 'worker', description: 'Works.', prompt: 'You work.', model: 'child' }
const BEHIND = { tool: 'Behind', input: {} }

/** A tool whose work writes something and goes on until it is stopped, or for ever. */
function behind(run: BackgroundWork['run'] = untilStopped) {
  return defineTool({
    name: 'Behind',
    description: 'Goes on.',
    kind: 'exec',
    inputSchema: { type: 'object' },
    async run(_input, { background }) {
      const answer = await background?.({ kind: 'command', subject: 'npm test', run })
      return answer?.id ?? 'no'
    },
  })
}

const untilStopped: BackgroundWork['run'] = ({ signal, write }) => {
  write('one\ntwo\n')
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ failed: true, how: 'aborted' }))
  })
}

async function begun(more: Partial<AgentSetup> = {}) {
  const model = scripted({ calls: [BEHIND] }, END, END)
  const setup = await setUp({ model, tools: [behind()], tasks: {}, ...more })
  await setup.session.run('go').result
  return { ...setup, model }
}

describe('a host', () => {
  it('lists what runs and ran in the background of a session, and reads its output', async () => {
    const { session, clock } = await begun()
    clock.advance(1500)
    expect(session.tasks.list()).toEqual([
      {
        id: 'task-1',
        kind: 'command',
        subject: 'npm test',
        state: 'running',
        how: '',
        startedAt: '2026-01-01T00:00:00.000Z',
        durationMs: 1500,
        characters: 8,
      },
    ])
    expect(session.tasks.output('task-1')).toBe('one\ntwo\n')
    expect(session.tasks.output('task-1', { most: 4 })).toBe('[4 characters before this are left out]\ntwo\n')
  })

  it('does not take anything from the model by looking', async () => {
    const model = scripted(
      { calls: [BEHIND] },
      END,
      { calls: [{ tool: 'task_output', input: { task_id: 'task-1' } }] },
      END,
    )
    const { session } = await begun({ model })
    session.tasks.output('task-1')
    await session.run('look').result
    expect(resultTexts(session).at(-1)).toContain('one\ntwo')
  })

  it('stops one: it is told how it ended, and the model with its next message', async () => {
    const { session, model } = await begun()
    expect(await session.tasks.stop('task-1')).toMatchObject({ state: 'cancelled', how: 'the user has stopped it' })
    const events = await collect(session.run('and now?'))
    expect(ofType(events, 'task_end')).toMatchObject([{ task_id: 'task-1', state: 'cancelled' }])
    expect(JSON.stringify(model.requests.at(-1)?.messages.at(-1))).toContain(
      '[task-1 cancelled: the user has stopped it] npm test',
    )
    // Stopping it again changes nothing.
    expect(await session.tasks.stop('task-1')).toMatchObject({ state: 'cancelled', how: 'the user has stopped it' })
    expect(session.tasks.list()).toMatchObject([{ state: 'cancelled', characters: 8 }])
  })

  it('is not kept by one that can’t be stopped', async () => {
    const { session, clock } = await begun({ tools: [behind(never)] })
    const stopping = session.tasks.stop('task-1')
    expect(await byNow(stopping)).toBe('open')
    clock.advance(5000)
    expect(await stopping).toMatchObject({ state: 'running' })
  })

  it('sees those of sub-agents, with who has started them, and sub-agents that are tasks themselves', async () => {
    const start = (more: object) => ({ tool: 'agent', input: { type: 'worker', prompt: 'look', ...more } })
    const model = scripted({ calls: [start({ background: true })] }, END)
    const child = scripted(
      { calls: [BEHIND] },
      { calls: [{ tool: 'task_output', input: { task_id: 'task-2', wait_ms: 1000 } }] },
      END,
    )
    const { session } = await begun({ model, agents: [worker], models: () => child })
    await settle()
    const [agent, command] = session.tasks.list()
    expect(agent).toMatchObject({ id: 'task-1', kind: 'agent', subject: 'worker: look' })
    expect(agent).not.toHaveProperty('agent')
    expect(command).toMatchObject({ id: 'task-2', kind: 'command', agent: { id: 'id-3', type: 'worker' } })
    expect(await session.tasks.stop('task-2')).toMatchObject({ state: 'cancelled' })
    await session.end()
  })

  it.each([
    ['task-9', 'There is no task `task-9` in the session. Did you mean task-1?'],
    ['', 'There is no task `` in the session. There are: task-1.'],
    [nonsense(undefined), 'There is no task `undefined` in the session.'],
  ])('that names %j, which is none, is told what there is', async (id, message) => {
    const { session } = await begun()
    const error = expect.objectContaining({
      code: 'agent-core.task.unknown',
      message: expect.stringContaining(message),
    })
    expect(() => session.tasks.output(id)).toThrow(error)
    await expect(session.tasks.stop(id)).rejects.toEqual(error)
  })

  it('is told that there are none, and of a number of characters that is none', async () => {
    const { session } = await setUp({ model: scripted(END) })
    expect(session.tasks.list()).toEqual([])
    expect(() => session.tasks.output('task-1')).toThrow('There are none.')
    const other = await begun()
    expect(() => other.session.tasks.output('task-1', { most: 0 })).toThrow(
      expect.objectContaining({ code: 'agent-core.limit' }),
    )
  })

  it('has none left after clear, and can look at those of an ended session', async () => {
    const { session } = await begun()
    await session.clear()
    expect(session.tasks.list()).toEqual([])
    const ended = await begun()
    await ended.session.end()
    expect(ended.session.tasks.list()).toMatchObject([{ state: 'cancelled' }])
    expect(ended.session.tasks.output('task-1')).toBe('one\ntwo\n')
  })
})
