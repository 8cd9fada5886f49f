import type { BackgroundTask, BackgroundWork, Tool } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import { defineTool } from '../../src/index.js'
import type { AgentDefinition } from '../../src/types.js'
import {
  type AgentSetup,
  allowed,
  collect,
  denied,
  echoTool,
  gate,
  hooks,
  never,
  ofType,
  play,
  resultTexts,
  scripted,
  settle,
  setUp,
} from '../kit.js'

const END = { say: 'done' }
const call = (tool: string, input: object = {}) => ({ tool, input }) as { tool: string; input: never }
const turn = (...calls: ReturnType<typeof call>[]) => ({ calls })
const worker: AgentDefinition = { name: 'worker', description: 'Works.', prompt: 'You work.', model: 'child' }
const AGENT = call('agent', { type: 'worker', prompt: 'look around', background: true })

/** A tool whose work goes on, and ends when it is told to. */
function behind(subject = 'long work'): Tool & { readonly started: BackgroundTask[]; end(text?: string): void } {
  const started: BackgroundTask[] = []
  let end: () => void = () => {}
  const run: BackgroundWork['run'] = (task) => {
    started.push(task)
    return new Promise((resolve) => {
      end = () => resolve({ failed: false, how: 'all done' })
      task.signal.addEventListener('abort', () => resolve({ failed: true, how: 'aborted' }))
    })
  }
  return {
    ...defineTool({
      name: 'Behind',
      description: 'Goes on.',
      kind: 'exec',
      inputSchema: { type: 'object' },
      async run(_input, { background }) {
        const answer = await background?.({ kind: 'command', subject, run })
        return answer?.id ?? `no: ${answer?.problem ?? 'nothing runs in the background'}`
      },
    }),
    started,
    end(text) {
      if (text !== undefined) started.at(-1)?.write(text)
      end()
    },
  }
}

const texts = (session: { readonly messages: readonly unknown[] }) => JSON.stringify(session.messages)

describe('work in the background', () => {
  it('goes on while the model does something else, which is told of its end with the next message', async () => {
    const tool = behind('npm test')
    const release = echoTool('Release', {
      run: async () => {
        tool.end('3 passed')
        await settle()
        return { content: [], isError: false }
      },
    })
    const model = scripted(turn(call('Behind')), turn(call('Release', { text: '' })), END)
    const interceptor = hooks()
    const { events, session } = await play({ model, tools: [tool, release], tasks: {}, interceptor })
    expect(resultTexts(session)).toEqual(['task-1', ''])
    expect(model.requests[2]?.messages.at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'text', text: '[task-1 completed: all done] npm test\n3 passed' }],
    })
    expect(ofType(events, 'task_start')).toMatchObject([{ task_id: 'task-1', kind: 'command', subject: 'npm test' }])
    expect(ofType(events, 'task_end')).toMatchObject([{ task_id: 'task-1', state: 'completed', how: 'all done' }])
    const task = { task_id: 'task-1', task_subject: 'npm test', task_kind: 'command' }
    expect(interceptor.log.filter(({ event }) => event.startsWith('Task'))).toEqual([
      { event: 'TaskCreated', payload: task },
      { event: 'TaskCompleted', payload: { ...task, task_state: 'completed' } },
    ])
  })

  it('outlives its run; what it did in between is told by the next one', async () => {
    const tool = behind()
    const model = scripted(turn(call('Behind')), { say: 'started' }, END)
    const { session } = await play({ model, tools: [tool], tasks: {} })
    tool.end('result')
    await settle()
    const events = await collect(session.run('and now?'))
    expect(events[0]).toMatchObject({ type: 'task_end', state: 'completed' })
    expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({
      content: [{ text: 'and now?' }, { text: '[task-1 completed: all done] long work\nresult' }],
    })
  })

  it('is stopped when the session ends, with a word', async () => {
    const tool = behind()
    const interceptor = hooks()
    const { session, events } = await play({
      model: scripted(turn(call('Behind')), END),
      tools: [tool],
      tasks: {},
      interceptor,
    })
    expect(ofType(events, 'task_end')).toEqual([])
    const ends = await session.end()
    expect(tool.started[0]?.signal.aborted).toBe(true)
    expect(ends.map(({ type }) => type)).toEqual(['notice', 'task_end', 'session_end'])
    expect(ends[0]).toMatchObject({
      text: 'task-1 (long work) was still running and is stopped: the session has ended.',
    })
    expect(ends[1]).toMatchObject({ state: 'cancelled', how: 'the session has ended' })
    expect(interceptor.log.slice(-2)).toMatchObject([
      { event: 'TaskCompleted', payload: { task_state: 'cancelled' } },
      { event: 'SessionEnd' },
    ])
  })

  it('that can not be ended keeps the end of the session for five seconds', async () => {
    const tool = { ...behind(), run: never }
    const stuck: Tool = {
      ...tool,
      async run(_input, { background }) {
        await background?.({ kind: 'command', subject: 'stuck', run: never })
        return { content: [], isError: false }
      },
    }
    const { session, clock } = await play({ model: scripted(turn(call('Behind')), END), tools: [stuck], tasks: {} })
    const end = session.end()
    await settle()
    clock.advance(5000)
    expect(ofType(await end, 'notice').map(({ text }) => text)).toEqual([
      'task-1 (stuck) was still running and is stopped: the session has ended.',
      'task-1 did not end within 5 s.',
    ])
  })

  it('whose end the model was not told any more is named when the session ends', async () => {
    const tool = behind()
    const { session } = await play({ model: scripted(turn(call('Behind')), END), tools: [tool], tasks: {} })
    tool.end()
    await settle()
    expect(ofType(await session.end(), 'notice').map(({ text }) => text)).toEqual([
      'task-1 has ended, and the session ended before the model was told.',
    ])
  })

  it('does not start beyond the limit, nor if a hook of TaskCreated says no', async () => {
    const model = () => scripted(turn(call('Behind'), call('Behind')), END)
    const one = behind()
    const limited = await play({ model: model(), tools: [one], tasks: {}, limits: { maxTasks: 1 } })
    expect(resultTexts(limited.session)).toEqual([
      'task-1',
      'no: 1 tasks run in the background at most. Wait for one to end, or stop one.',
    ])
    expect(one.started).toHaveLength(1)
    const two = behind()
    const interceptor = hooks({ TaskCreated: () => ({ block: { by: 'guard', reason: 'not today' } }) })
    const blocked = await play({ model: model(), tools: [two], tasks: {}, interceptor })
    expect(resultTexts(blocked.session)).toEqual(['no: [hook guard] not today', 'no: [hook guard] not today'])
    expect(two.started).toEqual([])
    expect(ofType(blocked.events, 'task_start')).toEqual([])
  })

  it('ends the run after the call if a hook of TaskCreated wants that', async () => {
    const interceptor = hooks({ TaskCreated: () => ({ stop: { by: 'guard', reason: 'enough' } }) })
    const { result } = await play({
      model: scripted(turn(call('Behind')), END),
      tools: [behind()],
      tasks: {},
      interceptor,
    })
    expect(result.reason).toBe('stopped')
  })

  it('counts as failed if a hook of TaskCompleted refuses it', async () => {
    const tool = behind()
    const interceptor = hooks({ TaskCompleted: () => ({ block: { by: 'lint', reason: 'no tests' } }) })
    const { session } = await play({
      model: scripted(turn(call('Behind')), END, END),
      tools: [tool],
      tasks: {},
      interceptor,
    })
    tool.end()
    await settle()
    const events = await collect(session.run('again'))
    expect(ofType(events, 'task_end')).toMatchObject([{ state: 'failed', how: '[hook lint] no tests' }])
    expect(texts(session)).toContain('[task-1 failed: [hook lint] no tests]')
  })

  it('that is none, or gives no proper end, costs itself only', async () => {
    const works = [{}, { kind: 'command', subject: 'x', run: 3 }, { kind: 'command', subject: 'y', run: async () => 1 }]
    const problems: unknown[] = []
    const odd: Tool = {
      ...behind(),
      async run(_input, { background }) {
        for (const work of works) problems.push(await background?.(work as never))
        await settle()
        return { content: [], isError: false }
      },
    }
    const { events } = await play({ model: scripted(turn(call('Behind')), END), tools: [odd], tasks: {} })
    const none = { problem: 'The tool gave no work with a `subject` and a function `run`.' }
    expect(problems).toEqual([none, none, { id: 'task-1' }])
    expect(ofType(events, 'task_end')).toMatchObject([
      { state: 'failed', how: 'it gave no end with `failed` and `how`' },
    ])
  })

  it('is not offered without the option, nor in a durable run', async () => {
    const model = scripted(turn(call('Behind')), END)
    const { session } = await play({ model, tools: [behind()], agents: [worker] })
    expect(resultTexts(session)).toEqual(['no: nothing runs in the background'])
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['Behind', 'agent'])
    expect(JSON.stringify(model.requests[0]?.tools)).not.toContain('background')

    const played = scripted(turn(call('Behind')), END)
    const setup = await setUp({ model: played, tools: [behind()], tasks: {} })
    const durable = { step: <T>(_: string, fn: () => Promise<T>) => fn(), now: () => 0, uuid: () => 'u' }
    await setup.session.run('go', { durable }).result
    expect(resultTexts(setup.session)).toEqual(['no: nothing runs in the background'])
  })
})

describe('the tools for tasks', () => {
  it('list, show and stop what runs', async () => {
    const tool = behind('tail -f log')
    const write = echoTool('Write', {
      run: async ({ text }) => {
        tool.started[0]?.write(String(text))
        return { content: [], isError: false }
      },
    })
    const show = call('task_output', { task_id: 'task-1' })
    const model = scripted(
      turn(call('task_list'), call('Behind'), call('task_list'), show),
      turn(call('Write', { text: 'one\n' }), show, show, call('Write', { text: 'two' }), show),
      turn(call('task_output', { task_id: 'task-1', again: true }), call('task_stop', { task_id: 'task-1' }), show),
      turn(call('task_stop', { task_id: 'task-1' }), call('task_stop', { task_id: 'task-9' })),
      END,
    )
    const { session, events } = await play({ model, tools: [tool, write], tasks: {} })
    const running = '[task-1, command, running, 0 s] tail -f log'
    const stopped = '[task-1, command, cancelled: you have stopped it, 0 s] tail -f log'
    expect(resultTexts(session)).toEqual([
      'There are none.',
      'task-1',
      running,
      `${running}\nIt has put out nothing.`,
      '',
      `${running}\none\n`,
      `${running}\nNothing new.`,
      '',
      `${running}\ntwo`,
      `${running}\none\ntwo`,
      stopped,
      `${stopped}\nNothing new.`,
      `It has ended already.\n${stopped}`,
      'There is no task task-9. There are: task-1.',
    ])
    // Whoever has stopped it needs not be told.
    expect(texts(session)).not.toContain('[task-1 cancelled')
    expect(ofType(events, 'task_end')).toHaveLength(1)
  })

  it('wait for the end of a task, and no longer than they are told', async () => {
    const tool = behind()
    const wait = call('task_output', { task_id: 'task-1', wait_ms: 1000 })
    const { session, clock } = await setUp({
      model: scripted(turn(call('Behind')), turn(wait), turn(wait), END),
      tools: [tool],
      tasks: {},
    })
    const run = session.run('go')
    await settle()
    clock.advance(1000)
    await settle()
    tool.end('over')
    await run.result
    expect(resultTexts(session)).toEqual([
      'task-1',
      '[task-1, command, running, 1 s] long work\nIt has put out nothing.',
      '[task-1, command, completed: all done, 1 s] long work\nover',
    ])
  })

  it('show the end of a long output, and say what is left out and where all of it is', async () => {
    const kept: string[] = []
    const files = {
      open: ({ id }: { id: string }, task: string) => ({
        path: `/logs/${id}/${task}`,
        write: (text: string) => void kept.push(text),
        close: () => void kept.push('|'),
      }),
    }
    for (const [tasks, where] of [
      [{}, ''],
      [{ files }, '; all of it is in /logs/id-1/task-1'],
      [
        {
          files: {
            open: () => {
              throw new Error('disk full')
            },
          },
        },
        ', and could not be kept: disk full',
      ],
    ] as const) {
      const tool = behind()
      const fill = echoTool('Fill', {
        run: async () => {
          for (let line = 0; line < 2000; line++) tool.started[0]?.write(`${line} ${'x'.repeat(94)}\n`)
          tool.end()
          await settle()
          return { content: [], isError: false }
        },
      })
      const { session } = await play({
        model: scripted(turn(call('Behind')), turn(call('Fill', { text: '' })), END),
        tools: [tool, fill],
        tasks,
      })
      const [head, , note, first, ...rest] = String(/"\[task-1 completed[^"]*"/.exec(texts(session))?.[0]).split(
        /(?:\\n)/,
      )
      expect(head).toBe('"[task-1 completed: all done] long work')
      void note
      expect(texts(session)).toContain(`characters before this are left out${where}]`)
      expect(rest.join('').length + String(first).length).toBeLessThan(8100)
      expect(texts(session)).toContain('1999 x')
    }
    const whole = kept.join('')
    expect(whole.split('\n')).toHaveLength(2001)
    expect(whole.endsWith('\n|')).toBe(true)
  })
})

describe('a sub-agent in the background', () => {
  const starting = (more: Partial<AgentSetup> & Pick<AgentSetup, 'models'>): AgentSetup => ({
    model: scripted(turn(AGENT), turn(call('task_output', { task_id: 'task-1', wait_ms: 1000 })), END),
    agents: [worker],
    tasks: {},
    ...more,
  })

  it('tells its last words, goes the same way with its calls, and spends from the budget of the run', async () => {
    const child = scripted(turn(call('Echo', { text: 'hi' })), { say: 'the answer is 42' })
    const interceptor = hooks()
    const { session, events } = await play(starting({ models: () => child, tools: [echoTool()], interceptor }))
    const [started, shown] = resultTexts(session)
    expect(started).toBe(
      'Started in the background as task-1. You are told when it has ended; task_output shows what it has put out.',
    )
    expect(shown).toBe(
      '[task-1, agent, completed: done, 0 s] worker: look around\nEcho {"text":"hi"}\nthe answer is 42',
    )
    const agents = ofType(events, 'agent_end')
    expect(agents).toMatchObject([{ agent_type: 'worker', reason: 'done', text: 'the answer is 42' }])
    const own = interceptor.log.map(({ event }) => event)
    for (const event of ['TaskCreated', 'SubagentStart', 'PreToolUse', 'SubagentStop', 'TaskCompleted']) {
      expect(own).toContain(event)
    }
  })

  it('is judged by the gate like one in front', async () => {
    const tool = echoTool()
    const child = scripted(turn(call('Echo', { text: 'hi' })), END)
    await play(
      starting({
        models: () => child,
        tools: [tool],
        gate: gate(({ call: { name } }) => (name === 'Echo' ? denied() : allowed())),
      }),
    )
    expect(tool.ran).toEqual([])
  })

  it('starts no deeper than the limit, and what it has started ends with it', async () => {
    const tool = behind()
    const child = scripted(turn(call('Behind'), call('agent', { type: 'worker', prompt: 'deeper' })), END)
    const { session, events } = await play(starting({ models: () => child, tools: [tool] }))
    expect(texts(session)).toContain('completed: done')
    expect(ofType(events, 'tool_rejected').map(({ reason }) => reason)).toEqual([
      expect.stringContaining('There is no tool agent.'),
    ])
    expect(tool.started[0]?.signal.aborted).toBe(true)
    expect(ofType(events, 'notice').map(({ text }) => text)).toContain(
      'task-2 (long work) was still running and is stopped: the sub-agent that has started it is done.',
    )
  })

  it('ends with the session within the time of an abort', async () => {
    const child = { id: 'slow', stream: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }) }
    const { session } = await play(starting({ model: scripted(turn(AGENT), END), models: () => child }))
    const ends = await session.end()
    expect(ofType(ends, 'agent_end')).toMatchObject([{ reason: 'aborted', agent_type: 'worker' }])
    expect(ofType(ends, 'task_end')).toMatchObject([{ state: 'cancelled' }])
  })

  it('that reaches its limit has failed, and says which', async () => {
    const child = scripted(turn(call('Echo', { text: 'hi' })), END)
    const { session } = await play(
      starting({ models: () => child, tools: [echoTool()], agents: [{ ...worker, maxTurns: 1 }] }),
    )
    expect(resultTexts(session)[1]).toContain(
      'failed: The sub-agent worker did not finish (max_turns: The limit of 1 turns is reached.)',
    )
  })
})
