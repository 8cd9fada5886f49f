import type { Message } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import type { AgentDefinition, Extension, Model } from '../../src/types.js'
import {
  type AgentSetup,
  allowed,
  byNow,
  collect,
  echoTool,
  gate,
  hooks,
  modelOf,
  never,
  nonsense,
  ofType,
  play,
  resultTexts,
  scripted,
  settle,
  setUp,
} from '../kit.js'

const worker: AgentDefinition = { name: 'Worker', description: 'Works.', prompt: 'You work.', model: 'child' }
const start = (more: object = {}) => ({
  calls: [{ tool: 'agent', input: { type: 'worker', prompt: 'work', ...more } }],
})
const END = { say: 'done' }

/** A main model that starts the sub-agent once, and a model of the sub-agent. */
function starting(child: Model, definition: Partial<AgentDefinition> = {}, more: AgentSetup | object = {}): AgentSetup {
  return {
    model: scripted(start(), END),
    models: (name) => (name === 'child' ? child : undefined),
    agents: [{ ...worker, ...definition }],
    ...more,
  }
}

const toolNames = (model: ReturnType<typeof scripted>) => model.requests[0]?.tools.map(({ name }) => name)

describe('a sub-agent', () => {
  it('works in a conversation of its own and gives its last message back', async () => {
    const child = scripted({ say: 'the answer is 42' })
    const { session, result, events } = await play(starting(child))
    expect(resultTexts(session)).toEqual(['the answer is 42'])
    expect(result).toMatchObject({ reason: 'done', turns: 2 })
    expect(child.requests).toMatchObject([
      { system: 'You work.', messages: [{ role: 'user', content: [{ type: 'text', text: 'work' }] }] },
    ])
    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(ofType(events, 'agent_start')).toMatchObject([{ tool_use_id: 'call_1_1', agent_type: 'Worker', tools: [] }])
    expect(ofType(events, 'agent_end')).toMatchObject([{ reason: 'done', text: 'the answer is 42', turns: 1 }])
  })

  it('has agent_start as its first event and agent_end as its last, whatever there is to say', async () => {
    const child = scripted({ calls: [{ tool: 'Echo', input: { text: 'hi' } }] }, END)
    const fetch: AgentSetup['gate'] = gate(({ options, call, tool }) => {
      options.onQuestion?.({ call, tool, decision: allowed().decision, session: nonsense({}) })
      return allowed()
    })
    const interceptor = hooks({
      Notification: async () => {
        await settle()
        return { runs: [{ hook: 'bell', outcome: 'decided', ms: 1 }] }
      },
    })
    const tools = [echoTool(), echoTool()]
    const definition = { permissionMode: 'bypassPermissions' } as const
    const { events } = await play(starting(child, definition, { tools, gate: fetch, interceptor }))
    const own = events.filter(({ agent_id }) => agent_id !== undefined)
    expect([own[0]?.type, own.at(-1)?.type]).toEqual(['agent_start', 'agent_end'])
    expect(ofType(own, 'hook')).toMatchObject([{ hook: 'bell' }])
    expect(ofType(own, 'notice').map(({ text }) => text)).toEqual([
      'Several tools are called Echo; the first one is used.',
      expect.stringContaining('not stricter'),
    ])
  })

  it('marks every event of its own with its id, and has the session of its run', async () => {
    const child = scripted({ calls: [{ tool: 'Echo', input: { text: 'hi' } }] }, END)
    const { events } = await play(starting(child, {}, { tools: [echoTool()] }))
    const from = events.findIndex(({ type }) => type === 'agent_start')
    const to = events.findIndex(({ type }) => type === 'agent_end')
    const inside = events.slice(from, to + 1)
    const ids = new Set(inside.map((event) => event.agent_id))
    expect([...ids]).toEqual([expect.any(String)])
    expect(new Set(events.map(({ session_id }) => session_id)).size).toBe(1)
    expect([...events.slice(0, from), ...events.slice(to + 1)].every((event) => event.agent_id === undefined)).toBe(
      true,
    )
    expect(ofType(inside, 'tool_result')).toHaveLength(1)
  })

  it('is looked up without regard to case; another name is answered with the one that was meant', async () => {
    const model = scripted(start({ type: 'WORKER' }), start({ type: 'wroker' }), start({ type: 'chef' }), END)
    const { session } = await play({ ...starting(scripted({ say: 'ok' })), model })
    expect(resultTexts(session)).toEqual([
      'ok',
      'There is no sub-agent wroker. Did you mean Worker?',
      'There is no sub-agent chef. There are: Worker.',
    ])
  })

  it.each<[string, Partial<AgentDefinition>, readonly string[]]>([
    ['without a list has every tool of its starter', {}, ['Bash', 'Edit', 'load', 'mcp__git__log', 'mcp__git__push']],
    ['with a list has those, and what belongs to the agent itself', { tools: ['Edit'] }, ['Edit', 'load']],
    ['may be given a whole server', { tools: ['mcp__git'] }, ['load', 'mcp__git__log', 'mcp__git__push']],
    ['may be given names that start alike', { tools: ['mcp__git__l*'] }, ['load', 'mcp__git__log']],
    ['may be given a tool by the name that it is like', { tools: ['Shell'] }, ['Bash', 'load']],
    ['has nothing that is taken away', { tools: ['Edit', 'Bash'], disallowedTools: ['Bash', 'load'] }, ['Edit']],
    ['with an empty list has none', { tools: [] }, ['load']],
  ])('%s', async (_, definition, names) => {
    const child = scripted(END)
    const remote = (tool: string) => echoTool(`mcp__git__${tool}`, { source: { server: 'git', tool, trusted: false } })
    await play(
      starting(child, definition, {
        toolTable: { Bash: { as: 'Shell' } },
        tools: [echoTool('Bash'), echoTool('Edit'), echoTool('load', { system: true }), remote('push'), remote('log')],
      }),
    )
    expect(toolNames(child)).toEqual(names)
  })

  it('can not call a tool outside its list, however it tries', async () => {
    const tries = ['Bash', 'bash', 'agent', 'mcp__x__Bash'].map((tool) => ({ tool, input: { text: 'x' } }))
    const child = scripted({ calls: tries }, END)
    const bash = echoTool('Bash')
    const interceptor = hooks()
    const { events } = await play(
      starting(
        child,
        { tools: ['Edit'] },
        { tools: [bash, echoTool('Edit')], interceptor, limits: { unknownToolsInARow: 9 } },
      ),
    )
    expect(bash.ran).toEqual([])
    expect(ofType(events, 'tool_rejected').map(({ tool }) => tool)).toEqual(['Bash', 'bash', 'agent', 'mcp__x__Bash'])
    const asked = interceptor.log.flatMap(({ event, payload }) =>
      event === 'PreToolUse' && 'tool_name' in payload ? [payload.tool_name] : [],
    )
    expect(asked).toEqual(['agent'])
  })

  it('can start others only as deep as the limit says, and each has at most the tools of its starter', async () => {
    const deepest = scripted(END)
    const middle = scripted({ calls: [{ tool: 'agent', input: { type: 'deep', prompt: 'x' } }] }, END)
    const setup: AgentSetup = {
      model: scripted(start(), END),
      models: (name) => (name === 'middle' ? middle : deepest),
      agents: [
        { ...worker, model: 'middle', tools: ['agent', 'Edit'] },
        { name: 'deep', description: 'Digs.', prompt: 'Dig.', model: 'deepest', tools: ['Edit', 'Bash', 'agent'] },
      ],
      tools: [echoTool('Bash'), echoTool('Edit')],
    }
    const shallow = await play(setup)
    expect(toolNames(middle)).toEqual(['Edit'])
    expect(ofType(shallow.events, 'tool_rejected')).toMatchObject([{ tool: 'agent' }])
    middle.requests.length = 0
    await play({ ...setup, model: scripted(start(), END), limits: { maxAgentDepth: 2 } })
    expect(toolNames(middle)).toEqual(['Edit', 'agent'])
    expect(toolNames(deepest)).toEqual(['Edit'])
    const none = scripted(END)
    await play({ ...setup, model: none, limits: { maxAgentDepth: 0 } })
    expect(toolNames(none)).toEqual(['Bash', 'Edit'])
  })

  it.each([
    ['none', ['user: work']],
    ['recent', ['user: second', 'assistant: looking', 'tool: echo: hi', 'user: work']],
    ['full', ['user: first', 'assistant: done', 'user: second', 'assistant: looking', 'tool: echo: hi', 'user: work']],
  ])('sees of the conversation what the model hands it: %s', async (context, seen) => {
    const child = scripted(END)
    const model = scripted(
      END,
      { say: 'looking', calls: [{ tool: 'Echo', input: { text: 'hi' } }] },
      start({ context }),
      END,
    )
    const { session } = await play({ ...starting(child), model, tools: [echoTool()] }, 'first')
    await session.run('second').result
    // The script of the child counts its own turns from what it sees.
    expect(child.requests[0]?.messages.map(line)).toEqual(seen)
  })

  it('that sees what came since the newest prompt sees what hooks have added since then too', async () => {
    const child = scripted(END)
    const model = scripted({ calls: [{ tool: 'Echo', input: { text: 'hi' } }] }, start({ context: 'recent' }), END)
    const interceptor = hooks({
      PostToolBatch: ({ tool_calls }) =>
        tool_calls[0]?.tool_name === 'Echo' ? { context: [{ by: 'h', text: 'a note' }] } : {},
    })
    await play({ ...starting(child), model, tools: [echoTool()], interceptor }, 'the prompt')
    expect(child.requests[0]?.messages.map(line)).toEqual([
      'user: the prompt',
      'assistant: ',
      'tool: echo: hi',
      'user: [hook h] a note',
      'user: work',
    ])
  })

  it('has the stricter of the two modes, and is told of one that is looser', async () => {
    for (const [own, wanted, mode] of [
      ['default', 'plan', 'plan'],
      ['acceptEdits', 'default', 'default'],
      ['default', 'bypassPermissions', 'default'],
      ['plan', 'acceptEdits', 'plan'],
      ['dontAsk', 'plan', 'dontAsk'],
      ['plan', 'dontAsk', 'plan'],
      ['default', undefined, 'default'],
    ] as const) {
      const modes: unknown[] = []
      const setup = starting(scripted(END), wanted ? { permissionMode: wanted } : {}, {
        interceptor: {
          session: (ref: { origin: string; permissionMode: string }) => {
            if (ref.origin === 'agent') modes.push(ref.permissionMode)
            return { fire: () => undefined }
          },
        },
      })
      const { agent } = await setUp(setup)
      const events = await collect(agent.session({ cwd: '/srv', permissionMode: own }).run('go'))
      expect([own, wanted, ...modes]).toEqual([own, wanted, mode])
      const looser = wanted !== undefined && wanted !== mode
      expect(ofType(events, 'notice').filter(({ text }) => text.includes('not stricter'))).toHaveLength(looser ? 1 : 0)
    }
  })

  it('uses the model that it names, and says so when nobody knows that', async () => {
    const main = scripted(start(), END)
    const model: Model = {
      id: 'only',
      stream: (request, options) =>
        (request.system === 'You work.' ? scripted({ say: 'by the same model' }) : main).stream(request, options),
    }
    const { events, session } = await play({ model, agents: [{ ...worker, model: 'haiku' }] })
    expect(resultTexts(session)).toEqual(['by the same model'])
    expect(ofType(events, 'notice')[0]?.text).toBe(
      'The sub-agent Worker wants the model haiku, which is not known; only is used.',
    )
  })

  it('that does not finish is an error with its last words', async () => {
    const child = scripted({ say: 'still looking', calls: [{ tool: 'Echo', input: { text: 'hi' } }], loop: true })
    const { session, events } = await play(starting(child, { maxTurns: 2 }, { tools: [echoTool()] }))
    expect(resultTexts(session)).toEqual([
      'The sub-agent Worker did not finish (max_turns: The limit of 2 turns is reached.). Its last words: still looking',
    ])
    expect(ofType(events, 'agent_end')).toMatchObject([{ reason: 'max_turns', error: { kind: 'max_turns' } }])
    expect(ofType(events, 'result')).toMatchObject([{ reason: 'done' }])
  })

  it('spends from the budget of its run', async () => {
    const usage = { type: 'usage', inputTokens: 60, outputTokens: 0, costUsd: 0.5 } as const
    const child: Model = {
      id: 'child',
      async *stream() {
        yield usage
        yield { type: 'text', text: 'x' }
      },
    }
    const { result, events } = await play(starting(child, {}, { limits: { maxTokens: 50 } }))
    expect(result).toMatchObject({ reason: 'budget', usage: { inputTokens: 60 }, costUsd: 0.5, turns: 1 })
    expect(ofType(events, 'agent_end')).toMatchObject([{ reason: 'done', usage: { inputTokens: 60 }, costUsd: 0.5 }])
  })

  it('is told to the hooks with its id, and they can send it on', async () => {
    let refused = 0
    const child = scripted({ say: 'finished?' }, { when: { contains: '[hook judge] not yet' }, say: 'finished!' })
    const interceptor = hooks({
      SubagentStart: () => ({ context: [{ by: 'notes', text: 'mind the gap' }] }),
      SubagentStop: () => (refused++ ? {} : { block: { by: 'judge', reason: 'not yet' } }),
    })
    const { session } = await play(starting(child, {}, { interceptor }))
    expect(resultTexts(session)).toEqual(['finished!'])
    const own = interceptor.log.filter(({ event }) => event.startsWith('Subagent')).map(({ payload }) => payload)
    const id = { agent_id: expect.any(String), agent_type: 'Worker' }
    expect(own).toEqual([
      id,
      { ...id, stop_hook_active: false, last_assistant_message: 'finished?' },
      { ...id, stop_hook_active: true, last_assistant_message: 'finished!' },
    ])
    expect(JSON.stringify(child.requests[0]?.messages)).toContain('[hook notes] mind the gap')
    // A sub-agent is no session and no prompt of a person.
    const names = interceptor.log.map(({ event }) => event)
    expect(names.filter((name) => ['SessionStart', 'UserPromptSubmit', 'Stop'].includes(name))).toHaveLength(3)
  })

  it('that is aborted has told all about its end before its starter goes on', async () => {
    const controller = new AbortController()
    const child = scripted({ calls: [{ tool: 'Echo', input: { text: 'hi' } }] })
    const slow = async () => {
      await settle()
      return {}
    }
    const interceptor = hooks({ PostToolUseFailure: slow, AfterAgent: slow })
    const tool = echoTool('Echo', { run: () => new Promise(() => {}) })
    const { session } = await setUp(starting(child, {}, { interceptor, tools: [tool] }))
    const run = session.run('go', { signal: controller.signal })
    await settle()
    controller.abort()
    await run.result
    const ends = (await collect(run)).filter(({ type }) => ['tool_result', 'agent_end', 'result'].includes(type))
    expect(ends.map(({ type, agent_type }) => `${type} ${agent_type ?? ''}`.trim())).toEqual([
      'tool_result Worker',
      'agent_end Worker',
      'tool_result',
      'result',
    ])
    expect(interceptor.log.slice(-4).map(({ event }) => event)).toEqual([
      'PostToolUseFailure',
      'AfterAgent',
      'PostToolUseFailure',
      'AfterAgent',
    ])
    expect(interceptor.log.at(-2)?.payload).toMatchObject({ tool_name: 'agent', cause: 'aborted', executed: true })
  })

  it('whose hooks use up its time of grace leaves its starter enough for the end of the call', async () => {
    const controller = new AbortController()
    const interceptor = hooks({ AfterAgent: (_, __, ref) => (ref.agent ? new Promise(() => {}) : {}) })
    const { session, clock } = await setUp(starting({ id: 'child', stream: () => stuck() }, {}, { interceptor }))
    const run = session.run('go', { signal: controller.signal })
    await settle()
    controller.abort()
    await settle()
    clock.advance(150)
    expect(await byNow(run.result)).toMatchObject({ reason: 'aborted' })
    const heard = interceptor.log.flatMap(({ event, payload }) => ('tool_use_id' in payload ? [event] : []))
    expect(heard).toEqual(['PreToolUse', 'PostToolUseFailure'])
    expect(clock.pending).toBe(0)
  })

  it('that can not begin is a call that crashed, and leaves nothing behind', async () => {
    const controller = new AbortController()
    const hasNoRoom: Extension = {
      session({ origin }) {
        if (origin === 'main') return {}
        throw new Error('no room for another one')
      },
    }
    const { session, clock } = await setUp({
      ...starting(scripted(END)),
      model: modelOf([{ type: 'tool_call', id: 'a', name: 'agent', input: { type: 'worker', prompt: 'x' } }], [never]),
      extensions: [hasNoRoom],
    })
    const run = session.run('go', { signal: controller.signal })
    await settle()
    controller.abort()
    expect(await byNow(run.result)).toMatchObject({ reason: 'aborted' })
    expect(resultTexts(session)).toEqual(['agent crashed: no room for another one'])
    expect(clock.pending).toBe(0)
  })

  it('ends at once when the run is aborted', async () => {
    const controller = new AbortController()
    const child: Model = { id: 'child', stream: () => stuck() }
    const { session, clock } = await setUp(starting(child))
    const run = session.run('go', { signal: controller.signal })
    await settle()
    controller.abort()
    expect(await run.result).toMatchObject({ reason: 'aborted' })
    const events = await collect(run)
    expect(ofType(events, 'agent_end')).toMatchObject([{ reason: 'aborted' }])
    expect(clock.pending).toBe(0)
  })
})

async function* stuck(): AsyncGenerator<never> {
  yield await new Promise<never>(() => {})
}

function line(message: Message): string {
  if (message.role === 'assistant') return `assistant: ${message.text}`
  const content = message.role === 'user' ? message.content : message.results.flatMap((result) => result.content)
  return `${message.role}: ${content.map((block) => (block.type === 'text' ? block.text : '')).join()}`
}
