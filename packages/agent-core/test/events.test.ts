import type { EventResult, LifecycleEvent, LifecyclePayloads } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import { defineTool, ModelError } from '../src/index.js'
import type { AgentDefinition } from '../src/types.js'
import {
  allowed,
  denied,
  echoTool,
  type Fired,
  gate,
  hooks,
  modelOf,
  ofType,
  play,
  resultTexts,
  scripted,
  settle,
} from './kit.js'

const CALL = { calls: [{ tool: 'Echo', input: { text: 'hi' } }] }
const END = { say: 'done' }
const by = 'me'

const worker: AgentDefinition = { name: 'worker', description: 'Works.', prompt: 'Work.', model: 'child' }

/** Something that is done in the background, at once. */
const behind = defineTool({
  name: 'Behind',
  description: 'Goes on.',
  kind: 'exec',
  inputSchema: { type: 'object' },
  async run(_input, { background }) {
    await background?.({ kind: 'command', subject: 'true', run: async () => ({ failed: false, how: 'exit code 0' }) })
    await settle()
    return ''
  },
})

/** A session in which everything happens that hooks can hear of. */
async function everything(): Promise<readonly Fired[]> {
  const interceptor = hooks({
    PreToolUse: ({ tool_name }) => (tool_name === 'Bad' ? { block: { by, reason: 'no' } } : {}),
  })
  const usage = { type: 'usage', inputTokens: 10, outputTokens: 2, costUsd: 0.5 } as const
  const call = (id: string, name: string, input: object) => ({ type: 'tool_call', id, name, input }) as const
  const { session } = await play({
    model: modelOf(
      [{ type: 'text', text: 'first' }, usage, call('a', 'Echo', { text: '1' }), call('b', 'No', { text: '2' })],
      [call('c', 'Bad', { text: '3' }), call('d', 'agent', { type: 'worker', prompt: 'go' })],
      [call('e', 'Behind', {})],
      [{ type: 'text', text: 'last' }],
      [
        async () => {
          throw new ModelError('overloaded', 'busy')
        },
      ],
      [{ type: 'text', text: 'a summary' }],
    ),
    instructions: {
      load: async () => ({
        files: [{ path: '/srv/AGENTS.md', kind: 'Project', reason: 'session_start', text: 'Be brief.' }],
        notices: [],
      }),
    },
    models: () => scripted({ say: 'worked' }),
    agents: [worker],
    limits: { modelRetries: 0 },
    tools: [echoTool('Echo'), echoTool('No'), echoTool('Bad'), behind],
    tasks: {},
    interceptor,
    gate: gate(async ({ call: { name, input }, tool, options: { contenders = [], onQuestion, signal } }) => {
      if (name !== 'No') return allowed()
      const decision = { ...denied('it has to be asked').decision, suggestions: ['No(2)'] }
      const question = { call: { id: 'b', name, input }, tool, decision, session: { id: '' } as never }
      onQuestion?.(question)
      await Promise.all(
        contenders.map((each) => each.answer(question, { signal: signal ?? new AbortController().signal })),
      )
      return denied('nobody said yes')
    }),
  })
  // Long enough to be worth a compaction.
  const context = [{ by, text: 'word '.repeat(2000) }]
  await session.run('/more', { command: MORE, expand: async () => ({ context }) }).result
  await session.fire('Elicitation', () => ({ ...QUESTION, message: 'Which account?' }))
  await session.fire('ElicitationResult', () => ({ ...QUESTION, action: 'decline' }))
  await session.fire('ConfigChange', () => CONFIG)
  await session.fire('FileChanged', () => FILE)
  await session.compact().result
  await session.end()
  return interceptor.log
}

const tool = (name: string, id: string, text: string) => ({ tool_name: name, tool_input: { text }, tool_use_id: id })
const usage = (input: number, output: number) => ({ input_tokens: input, output_tokens: output })

const MORE = {
  expansion_type: 'slash_command',
  command_name: 'more',
  command_args: '',
  command_source: 'user',
} as const
const QUESTION = { mcp_server_name: 'github', mode: 'form' } as const
const CONFIG = { source: 'user_settings', file_path: '/home/u/.ext/config.yaml' } as const
const FILE = { file_path: '/srv/.env', change: 'add', event: 'add' } as const

/** One row for each event of the contract, so that none can be listed and never fired. */
const rows: { readonly [E in LifecycleEvent]: Partial<LifecyclePayloads[E]> } = {
  SessionStart: { source: 'startup', model: 'test-model' },
  UserPromptSubmit: { prompt: 'go' },
  UserPromptExpansion: { ...MORE, prompt: '/more' },
  BeforeModel: {
    iteration: 1,
    model: 'test-model',
    request: expect.objectContaining({
      system: 'Instructions from /srv/AGENTS.md (of the project):\n\nBe brief.',
      messages: [expect.objectContaining({ role: 'user' })],
    }) as never,
    totals: { tokens: 0, cost_usd: 0, turns: 0 },
  },
  AfterModel: {
    iteration: 1,
    model: 'test-model',
    response: {
      text: 'first',
      calls: [
        { id: 'a', name: 'Echo', input: { text: '1' } },
        { id: 'b', name: 'No', input: { text: '2' } },
      ],
    },
    usage: usage(10, 2),
    cost_usd: 0.5,
    duration_ms: 0,
  },
  PreToolUse: tool('Echo', 'a', '1'),
  PermissionRequest: { ...tool('No', 'b', '2'), reason: 'it has to be asked', suggestions: ['No(2)'] },
  PermissionDenied: { ...tool('No', 'b', '2'), reason: 'nobody said yes' },
  PostToolUse: {
    ...tool('Echo', 'a', '1'),
    tool_response: { content: [{ type: 'text', text: 'echo: 1' }] },
    duration_ms: 0,
  },
  PostToolUseFailure: {
    ...tool('No', 'b', '2'),
    cause: 'denied',
    executed: false,
    error: 'model: nobody said yes',
    wait_ms: 0,
    duration_ms: 0,
  },
  PostToolBatch: {
    tool_calls: [
      {
        ...tool('Echo', 'a', '1'),
        is_error: false,
        executed: true,
        tool_response: [{ type: 'text', text: 'echo: 1' }],
      },
      {
        ...tool('No', 'b', '2'),
        is_error: true,
        executed: false,
        tool_response: [{ type: 'text', text: 'model: nobody said yes' }],
      },
    ],
  },
  InstructionsLoaded: { file_path: '/srv/AGENTS.md', memory_type: 'Project', load_reason: 'session_start' },
  PreCompact: { trigger: 'manual', before_tokens: expect.any(Number) as never },
  PostCompact: { trigger: 'manual', after_tokens: expect.any(Number) as never, summary: 'a summary' },
  SubagentStart: { agent_id: expect.any(String) as never, agent_type: 'worker' },
  SubagentStop: { agent_type: 'worker', last_assistant_message: 'worked', stop_hook_active: false },
  Stop: { stop_hook_active: false, last_assistant_message: 'last', iteration: 4 },
  StopFailure: { error: 'overloaded', error_details: 'The model failed: busy' },
  AfterAgent: { last_assistant_message: 'worked', iterations: 1, usage: usage(0, 0) },
  TaskCreated: { task_id: 'task-1', task_subject: 'true', task_kind: 'command' },
  TaskCompleted: { task_id: 'task-1', task_state: 'completed' },
  Notification: { notification_type: 'permission_prompt', message: 'it has to be asked', title: 'No' },
  Elicitation: { ...QUESTION, message: 'Which account?' },
  ElicitationResult: { ...QUESTION, action: 'decline' },
  ConfigChange: CONFIG,
  FileChanged: FILE,
  SessionEnd: { reason: 'other' },
}

describe('the events of a session', () => {
  it.each(Object.entries(rows))('%s is fired with what the table says', async (name, payload) => {
    const fired = (await everything()).find(({ event }) => event === name)
    expect(fired?.payload).toMatchObject(payload)
  })

  it('come in their order', async () => {
    const turn = ['BeforeModel', 'AfterModel']
    expect((await everything()).map(({ event }) => event)).toEqual([
      'SessionStart',
      'InstructionsLoaded',
      'UserPromptSubmit',
      ...turn,
      'PreToolUse',
      'PostToolUse',
      'PreToolUse',
      'Notification',
      'PermissionRequest',
      'PermissionDenied',
      'PostToolUseFailure',
      'PostToolBatch',
      ...turn,
      'PreToolUse',
      'PostToolUseFailure',
      'PreToolUse',
      'SubagentStart',
      ...turn,
      'SubagentStop',
      'AfterAgent',
      'PostToolUse',
      'PostToolBatch',
      ...turn,
      'PreToolUse',
      'TaskCreated',
      'TaskCompleted',
      'PostToolUse',
      'PostToolBatch',
      ...turn,
      'Stop',
      'AfterAgent',
      'UserPromptSubmit',
      'UserPromptExpansion',
      'BeforeModel',
      'Notification',
      'StopFailure',
      'AfterAgent',
      'Elicitation',
      'ElicitationResult',
      'ConfigChange',
      'FileChanged',
      'PreCompact',
      ...turn,
      'PostCompact',
      'SessionStart',
      'SessionEnd',
    ])
  })
})

describe('BeforeModel', () => {
  it('can refuse the model call, which ends the run', async () => {
    const model = scripted(END)
    const interceptor = hooks({ BeforeModel: () => ({ block: { by, reason: 'out of office' } }) })
    const { result, session, events } = await play({ model, interceptor })
    expect(result).toMatchObject({
      reason: 'blocked',
      error: { kind: 'blocked', message: '[hook me] out of office' },
      // Turns are model calls.
      turns: 0,
    })
    expect(model.requests).toEqual([])
    expect(session.messages).toHaveLength(1)
    expect(ofType(events, 'notice')).toMatchObject([{ by, text: 'refused the model call: out of office' }])
  })

  it('can add context, which stays in the conversation, and change the request for this one time', async () => {
    let first = true
    const model = scripted(CALL, END)
    const interceptor = hooks({
      BeforeModel: () => {
        if (!first) return {}
        first = false
        const request = { system: 'Be brief.', tools: ['Echo', 'Nope'], messages: [user('instead')] }
        return { context: [{ by, text: 'note' }], updatedRequest: { by, request } }
      },
    })
    const { session, events } = await play({
      model,
      interceptor,
      system: 'Hello.',
      tools: [echoTool(), echoTool('Two')],
    })
    expect(model.requests[0]).toMatchObject({
      system: 'Be brief.',
      messages: [user('instead')],
      tools: [{ name: 'Echo' }],
    })
    expect(model.requests[1]).toMatchObject({ system: 'Hello.', tools: [{ name: 'Echo' }, { name: 'Two' }] })
    expect(session.messages.slice(0, 2)).toEqual([user('go'), user('[hook me] note')])
    expect(ofType(events, 'changed')).toMatchObject([
      { by, what: 'request', original: ['system', 'tools', 'messages'] },
    ])
  })

  it.each<[string, object, string]>([
    ['a system that is no text', { system: 1 }, '`system` must be'],
    ['a part that there is not', { model: 'x' }, '`model` must be'],
    ['messages that are none', { messages: [] }, 'there is no message'],
    ['tools that are no list', { tools: 'Echo' }, '`tools` must be'],
  ])('is told that %s is ignored', async (_, request, problem) => {
    const model = scripted(END)
    const interceptor = hooks({ BeforeModel: () => ({ updatedRequest: { by, request: request as never } }) })
    const { events, result } = await play({ model, interceptor, system: 'Hello.' })
    expect(result.reason).toBe('done')
    expect(model.requests[0]).toMatchObject({ system: 'Hello.', messages: [user('go')] })
    expect(ofType(events, 'notice')[0]?.text).toContain(problem)
    expect(ofType(events, 'changed')).toEqual([])
  })
})

describe('AfterModel', () => {
  it('can drop the answer, which ends the run before anything comes of it', async () => {
    const echo = echoTool()
    const interceptor = hooks({ AfterModel: () => ({ block: { by, reason: 'rude' } }) })
    const { result, session, events } = await play({ model: scripted(CALL), interceptor, tools: [echo] })
    expect(result).toMatchObject({ reason: 'blocked', error: { kind: 'blocked' } })
    expect(echo.ran).toEqual([])
    expect(session.messages).toHaveLength(1)
    expect(ofType(events, 'tool_call')).toEqual([])
  })

  it('can put another answer in its place; the first one is in the record', async () => {
    const echo = echoTool()
    const response = { text: 'better', calls: [{ id: 'x', name: 'Echo', input: { text: 'other' } }] }
    let first = true
    const interceptor = hooks({
      AfterModel: () => {
        const answer: Partial<EventResult> = first ? { updatedResponse: { by, response } } : {}
        first = false
        return answer
      },
    })
    const { session, events } = await play({
      model: scripted({ say: 'bad', ...CALL }, END),
      interceptor,
      tools: [echo],
    })
    expect(session.messages[1]).toMatchObject({ role: 'assistant', ...response })
    expect(echo.ran).toEqual([{ text: 'other' }])
    expect(ofType(events, 'changed')).toMatchObject([{ by, what: 'response', original: { text: 'bad' } }])
  })

  it.each<[string, object]>([
    ['a text that is none', { text: 1 }],
    ['calls without names', { calls: [{ id: 'x', input: {} }] }],
    ['two calls with one id', { calls: [1, 2].map(() => ({ id: 'x', name: 'Echo', input: {} })) }],
  ])('is told that %s is ignored', async (_, response) => {
    const interceptor = hooks({ AfterModel: () => ({ updatedResponse: { by, response: response as never } }) })
    const { result, events } = await play({ model: scripted(END), interceptor })
    expect(result).toMatchObject({ reason: 'done', text: 'done' })
    expect(ofType(events, 'notice')[0]?.text).toContain('ignored: its change of the answer')
  })
})

describe('hooks after a call', () => {
  it.each<[unknown, readonly object[]]>([
    ['a text', [{ type: 'text', text: 'a text' }]],
    [[{ type: 'text', text: 'a block' }], [{ type: 'text', text: 'a block' }]],
    [{ stdout: 'x' }, [{ type: 'text', text: '{"stdout":"x"}' }]],
  ])('can change what the model gets: %j', async (output, content) => {
    const interceptor = hooks({ PostToolUse: () => ({ updatedOutput: { by, output: output as never } }) })
    const { session, events } = await play({ model: scripted(CALL, END), interceptor, tools: [echoTool()] })
    const message = session.messages[2]
    const told = { type: 'text', text: 'result of Echo was changed by hook me' }
    expect(message?.role === 'tool' && message.results[0]?.content).toEqual([...content, told])
    expect(ofType(events, 'changed')).toMatchObject([
      { by, what: 'output', tool_use_id: 'call_1_1', original: [{ type: 'text', text: 'echo: hi' }] },
    ])
  })

  it('can end the run after a batch, before the model is asked again, or add to what it reads next', async () => {
    const model = scripted(CALL, END)
    const stop = hooks({ PostToolBatch: () => ({ block: { by, reason: 'enough' } }) })
    const stopped = await play({ model, interceptor: stop, tools: [echoTool()] })
    expect(stopped.result).toMatchObject({ reason: 'stopped', turns: 1 })
    const other = scripted(CALL, END)
    const add = hooks({ PostToolBatch: () => ({ context: [{ by, text: 'look at the log' }] }) })
    await play({ model: other, interceptor: add, tools: [echoTool()] })
    expect(other.requests[1]?.messages.at(-1)).toEqual(user('[hook me] look at the log'))
  })

  it('can let the model try a denied call again', async () => {
    const interceptor = hooks({ PermissionDenied: () => ({ retry: { by } }) })
    const { session } = await play({
      model: scripted(CALL, END),
      interceptor,
      tools: [echoTool()],
      gate: gate(() => denied()),
    })
    expect(resultTexts(session)).toEqual(['model: a rule denies it\n[hook me] You may try this call again.'])
  })
})

describe('hooks of a question', () => {
  /** A gate that asks the contenders one after the other. */
  const asking = () =>
    gate(async ({ call, tool, options: { contenders = [], signal = new AbortController().signal } }) => {
      const question = { call, tool, decision: denied('ask').decision, session: {} as never }
      for (const contender of contenders) {
        const answer = await contender.answer(question, { signal }).catch(() => undefined)
        if (!answer) continue
        const { reason = '', updatedInput } = answer
        return {
          ...(answer.behavior === 'allow' ? allowed() : denied(reason)),
          answeredBy: 'automation' as const,
          by: contender.name,
          ...(updatedInput ? { updatedInput: { by: contender.name, input: updatedInput } } : {}),
        }
      }
      return denied('nobody')
    })

  it.each<[string, Partial<EventResult>, string, readonly object[]]>([
    ['allow', { answer: { by, behavior: 'allow' } }, 'echo: hi', [{ text: 'hi' }]],
    [
      'allow another input',
      { answer: { by, behavior: 'allow', updatedInput: { text: 'new' } } },
      'echo: new\ninput of Echo was changed by hooks: {"text":"new"}',
      [{ text: 'new' }],
    ],
    ['deny', { answer: { by, behavior: 'deny', reason: 'not today' } }, 'model: [hook me] not today', []],
    ['block', { block: { by, reason: 'never' } }, 'model: [hook me] never', []],
    ['say nothing', { context: [{ by, text: 'hm' }] }, 'model: nobody\n[hook me] hm', []],
  ])('can %s', async (_, answer, told, ran) => {
    const echo = echoTool()
    const { session } = await play({
      model: scripted(CALL, END),
      tools: [echo],
      gate: asking(),
      interceptor: hooks({ PermissionRequest: () => answer }),
    })
    expect(resultTexts(session)).toEqual([told])
    expect(echo.ran).toEqual(ran)
  })

  it('can end the run', async () => {
    const { result, session } = await play({
      model: scripted(CALL, END),
      tools: [echoTool()],
      gate: asking(),
      interceptor: hooks({ PermissionRequest: () => ({ stop: { by, reason: 'closing time' } }) }),
    })
    expect(result).toMatchObject({ reason: 'stopped', turns: 1 })
    expect(resultTexts(session)).toEqual(['model: [hook me] closing time'])
  })
})

function user(text: string) {
  return { role: 'user', content: [{ type: 'text', text }] } as const
}
