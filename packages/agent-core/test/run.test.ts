import type { SessionRef } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import { ModelError } from '../src/index.js'
import type { ModelRequest, RunEvent } from '../src/types.js'
import {
  byNow,
  collect,
  echoTool,
  gate,
  hooks,
  modelOf,
  never,
  ofType,
  play,
  recorded,
  resultTexts,
  scripted,
  settle,
  setUp,
} from './kit.js'

const CALL = { calls: [{ tool: 'Echo', input: { text: 'hi' } }] }
const END = { say: 'done' }

describe('a run', () => {
  it('tells everything that happens, in order, in lines that a program can read', async () => {
    const { events } = await play({
      model: scripted({ say: 'let me see', ...CALL }, END),
      tools: [echoTool()],
      diagnostics: { errors: 1, warnings: 2 },
      interceptor: hooks({
        SessionStart: () => ({ runs: [{ hook: 'hello', outcome: 'noDecision', ms: 1 }] }),
        PreToolUse: () => ({ runs: [{ hook: 'guard', outcome: 'failed', cause: 'exit 1', ms: 1 }] }),
      }),
    })
    const line = { v: 1, session_id: 'id-1', ts: '2026-01-01T00:00:00.000Z' }
    const id = { tool_use_id: 'call_1_1' }
    expect(events.map((event) => JSON.parse(JSON.stringify(event)))).toEqual([
      {
        ...line,
        type: 'session_start',
        source: 'startup',
        cwd: '/srv',
        model: 'scripted',
        tools: ['Echo'],
        diagnostics: { errors: 1, warnings: 2 },
      },
      { ...line, type: 'hook', event: 'SessionStart', hook: 'hello', outcome: 'noDecision', ms: 1 },
      { ...line, type: 'user', text: 'go' },
      { ...line, type: 'model_start', turn: 1, model: 'scripted' },
      { ...line, type: 'text', text: 'let me see' },
      { ...line, type: 'model_end', turn: 1, duration_ms: 0, ttft_ms: 0, input_tokens: 0, output_tokens: 0 },
      { ...line, type: 'tool_call', ...id, tool: 'Echo', input: { text: 'hi' }, source: { tool: 'Echo' } },
      { ...line, type: 'hook', event: 'PreToolUse', hook: 'guard', outcome: 'failed', cause: 'exit 1', ms: 1, ...id },
      {
        ...line,
        type: 'permission',
        ...id,
        behavior: 'allow',
        decidedBy: { layer: 'rules' },
        reason: 'a rule allows it',
        answeredBy: 'rules',
        wait_ms: 0,
      },
      {
        ...line,
        type: 'tool_result',
        ...id,
        tool: 'Echo',
        is_error: false,
        content: [{ type: 'text', text: 'echo: hi' }],
        executed: true,
        duration_ms: 0,
      },
      { ...line, type: 'model_start', turn: 2, model: 'scripted' },
      { ...line, type: 'text', text: 'done' },
      { ...line, type: 'model_end', turn: 2, duration_ms: 0, ttft_ms: 0, input_tokens: 0, output_tokens: 0 },
      {
        ...line,
        type: 'result',
        reason: 'done',
        text: 'done',
        usage: { inputTokens: 0, outputTokens: 0 },
        turns: 2,
      },
    ])
  })

  it('settles although nobody iterates it, and its events wait for a late reader', async () => {
    const { session, clock } = await setUp({ model: scripted(CALL, END), tools: [echoTool()] })
    const run = session.run('go')
    expect(await run.result).toMatchObject({ reason: 'done', text: 'done', turns: 2 })
    expect((await collect(run)).map(({ type }) => type)).toContain('tool_result')
    expect(clock.pending).toBe(0)
  })

  it('joins texts that nobody has read yet, and loses no other event', async () => {
    const words = Array.from({ length: 5000 }, (_, index) => ({ type: 'text', text: `${index} ` }) as const)
    const call = { type: 'tool_call', id: 'c1', name: 'Echo', input: { text: 'hi' } } as const
    const { session } = await setUp({ model: modelOf([...words, call], words), tools: [echoTool()] })
    const run = session.run('go')
    await run.result
    const events = await collect(run)
    const texts = ofType(events, 'text')
    expect(texts.length).toBeLessThan(4200)
    expect(texts.map(({ text }) => text).join('')).toBe([...words, ...words].map(({ text }) => text).join(''))
    expect(events.filter(({ type }) => type !== 'text').map(({ type }) => type)).toEqual([
      'session_start',
      'user',
      'model_start',
      'model_end',
      'tool_call',
      'permission',
      'tool_result',
      'model_start',
      'model_end',
      'result',
    ])
  })

  it('goes on when its reader leaves, and can be read only once', async () => {
    const { session } = await setUp({ model: scripted(CALL, END), tools: [echoTool()] })
    const run = session.run('go')
    for await (const event of run) if (event.type === 'user') break
    expect((await run.result).reason).toBe('done')
    expect(() => run[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: 'agent-core.run.iterated' }))
  })

  it('lets its reader go at once, also while it waits for an event', async () => {
    const controller = new AbortController()
    const { session } = await setUp({ model: modelOf([never]) })
    const run = session.run('go', { signal: controller.signal })
    const reader = run[Symbol.asyncIterator]()
    for (const type of ['session_start', 'user', 'model_start']) {
      expect(await reader.next()).toMatchObject({ value: { type } })
    }
    const waiting = reader.next()
    await settle()
    const end = { done: true, value: undefined }
    expect(await byNow(reader.return?.() ?? never())).toEqual(end)
    expect(await byNow(waiting)).toEqual(end)
    controller.abort()
    expect((await run.result).reason).toBe('aborted')
    expect(await reader.next()).toEqual(end)
  })

  it('counts what failed tries of a model have used', async () => {
    const usage = { type: 'usage', inputTokens: 1000, outputTokens: 1, costUsd: 0.5 } as const
    const fail = async () => {
      throw new ModelError('overloaded', 'busy')
    }
    const { session, clock } = await setUp({ model: modelOf([usage, fail], [usage, { type: 'text', text: 'ok' }]) })
    const run = session.run('go')
    await settle()
    clock.advance(1000)
    expect(await run.result).toMatchObject({ usage: { inputTokens: 2000, outputTokens: 2 }, costUsd: 1, turns: 1 })
  })

  it('counts what the model reports as usage', async () => {
    const usage = { type: 'usage', inputTokens: 10, outputTokens: 3 } as const
    const call = { type: 'tool_call', id: 'c1', name: 'Echo', input: { text: 'hi' } } as const
    const { result } = await play({ model: modelOf([usage, call], [usage]), tools: [echoTool()] })
    expect(result.usage).toEqual({ inputTokens: 20, outputTokens: 6 })
  })

  it('ends at the limit of turns and says so', async () => {
    const { result, events } = await play({
      model: scripted({ ...CALL, loop: true }),
      tools: [echoTool()],
      limits: { maxTurns: 3 },
    })
    expect(result).toMatchObject({ reason: 'max_turns', turns: 3 })
    expect(ofType(events, 'notice')).toMatchObject([{ text: 'The limit of 3 turns is reached.' }])
  })

  it('ends with a result for every call when a model sends one without a name', async () => {
    const call = { type: 'tool_call', id: 'a', name: 'Echo', input: { text: 'hi' } } as const
    const nameless = { ...call, id: 'b', name: undefined as never }
    const { events, result } = await play({ model: modelOf([call, nameless]), tools: [echoTool()] })
    expect(result.reason).toBe('error')
    expect(ofType(events, 'tool_call').map((event) => event.tool_use_id)).toEqual(['a'])
    expect(ofType(events, 'tool_rejected').map((event) => event.tool_use_id)).toEqual(['a'])
    expect(ofType(events, 'notice').map(({ text }) => text)).toEqual([
      'The model failed: it sent a tool call without an id or without a name',
    ])
  })

  it('keeps what arrived when the model breaks off, and the conversation can go on', async () => {
    const call = { type: 'tool_call', id: 'c1', name: 'Echo', input: { text: 'hi' } } as const
    const fail = async () => {
      throw new Error('connection lost')
    }
    const echo = echoTool()
    const setup = { model: modelOf([{ type: 'text', text: 'I will' }, call, fail], [{ type: 'text', text: 'ok' }]) }
    const { result, session, events } = await play({ ...setup, tools: [echo] })
    expect(result).toMatchObject({ reason: 'error', text: 'I will', turns: 1 })
    expect(ofType(events, 'notice')).toMatchObject([{ text: 'The model failed: connection lost' }])
    expect(echo.ran).toEqual([])
    expect(session.messages.slice(1)).toMatchObject([
      { role: 'assistant', text: 'I will', calls: [{ id: 'c1' }] },
      { role: 'tool', results: [{ callId: 'c1', isError: true }] },
    ])
    expect(resultTexts(session)).toEqual(['Not run: the answer of the model broke off.'])
    expect(await session.run('again').result).toMatchObject({ reason: 'done', text: 'ok' })
  })

  it('ends with an error when the model cannot even be asked', async () => {
    const { result, session } = await play({
      model: {
        id: 'broken',
        stream: () => {
          throw new Error('no key')
        },
      },
    })
    expect(result).toMatchObject({ reason: 'error', text: '' })
    expect(session.messages).toHaveLength(1)
  })

  it('asks a model again that failed before it said anything, if it may', async () => {
    let tries = 0
    const fail = async () => {
      if (tries++ < 2) throw new ModelError('overloaded', 'overloaded')
    }
    const { session, clock } = await setUp({
      model: modelOf([fail], [fail], [fail, { type: 'text', text: 'ok' }]),
      limits: { modelRetries: 2 },
    })
    const run = session.run('go')
    await settle()
    expect(clock.pending).toBe(1)
    clock.advance(1000)
    await settle()
    clock.advance(2000)
    expect(await run.result).toMatchObject({ reason: 'done', text: 'ok', turns: 1 })
    expect(ofType(await collect(run), 'notice').map(({ text }) => text)).toEqual([
      'The model failed and is asked again in 1000 ms: overloaded',
      'The model failed and is asked again in 2000 ms: overloaded',
    ])
    expect(clock.pending).toBe(0)
  })
})

describe('a prompt', () => {
  it('that a hook refuses leaves no trace in the conversation', async () => {
    const model = scripted(END)
    const { result, session, events } = await play({
      model,
      interceptor: hooks({ UserPromptSubmit: () => ({ block: { by: 'dlp', reason: 'holds a secret' } }) }),
    })
    expect(result).toMatchObject({ reason: 'blocked', turns: 0 })
    expect(session.messages).toEqual([])
    expect(model.requests).toEqual([])
    expect(ofType(events, 'user')).toEqual([])
    expect(ofType(events, 'notice')).toMatchObject([{ by: 'dlp', text: 'holds a secret' }])
  })

  it('carries what hooks have to add, with their names', async () => {
    const model = scripted(END)
    const { events } = await play({
      model,
      interceptor: hooks({
        SessionStart: () => ({ context: [{ by: 'env', text: 'node 20' }] }),
        UserPromptSubmit: () => ({ context: [{ by: 'git', text: 'branch main' }] }),
      }),
    })
    expect(model.requests[0]?.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'go' },
          { type: 'text', text: '[hook env] node 20' },
          { type: 'text', text: '[hook git] branch main' },
        ],
      },
    ])
    expect(ofType(events, 'context')).toMatchObject([
      { by: 'env', place: 'turn' },
      { by: 'git', place: 'turn' },
    ])
  })

  it.each(['SessionStart', 'UserPromptSubmit', 'Stop'] as const)(
    'ends stopped when a hook says so on %s',
    async (event) => {
      const interceptor = hooks({ [event]: () => ({ stop: { by: 'kill', reason: 'switch' } }) })
      const { result, events } = await play({ model: scripted(END), interceptor })
      expect(result).toMatchObject({ reason: 'stopped', turns: event === 'Stop' ? 1 : 0 })
      expect(ofType(events, 'notice')).toMatchObject([{ by: 'kill', text: 'switch' }])
    },
  )
})

describe('the end of a run', () => {
  it('can be refused by a hook: the reason goes to the model, which goes on', async () => {
    const model = scripted({ say: 'finished' }, { when: { contains: 'run the tests' }, say: 'now really' })
    const interceptor = hooks({
      Stop: ({ stop_hook_active }) =>
        stop_hook_active
          ? {}
          : { block: { by: 'tests', reason: 'run the tests first' }, context: [{ by: 'tests', text: 'npm test' }] },
    })
    const { result, session } = await play({ model, interceptor })
    expect(result).toMatchObject({ reason: 'done', text: 'now really', turns: 2 })
    expect(session.messages[2]).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: '[hook tests] run the tests first' },
        { type: 'text', text: '[hook tests] npm test' },
      ],
    })
    expect(interceptor.log.filter(({ event }) => event === 'Stop').map(({ payload }) => payload)).toEqual([
      { stop_hook_active: false, last_assistant_message: 'finished', iteration: 1 },
      { stop_hook_active: true, last_assistant_message: 'now really', iteration: 2 },
    ])
  })

  it('can not be refused for ever, and that is said', async () => {
    let count = 0
    const { result, events } = await play({
      model: scripted({ say: 'finished', loop: true }),
      interceptor: hooks({ Stop: () => ({ block: { by: 'stubborn', reason: `more ${++count}` } }) }),
    })
    expect(result).toMatchObject({ reason: 'done', turns: 9 })
    expect(ofType(events, 'notice').map(({ text }) => text)).toEqual([
      ...Array.from({ length: 8 }, (_, index) => `refused the end after turn ${index + 1}: more ${index + 1}`),
      'The run ends although a hook refuses that for more than 8 times: more 9',
    ])
  })

  it('can not be refused twice for the same reason, unless a tool was called in between', async () => {
    const stubborn = () => hooks({ Stop: () => ({ block: { by: 'stubborn', reason: 'more' } }) })
    const { result, events } = await play({ model: scripted({ say: 'no', loop: true }), interceptor: stubborn() })
    expect(result).toMatchObject({ reason: 'done', turns: 2 })
    expect(ofType(events, 'notice').at(-1)?.text).toBe(
      'The run ends although a hook refuses that again with the same reason, and no tool was called in between: more',
    )
    const working = scripted({ say: 'no' }, CALL, { say: 'no' }, { say: 'no' })
    expect((await play({ model: working, tools: [echoTool()], interceptor: stubborn() })).result.turns).toBe(4)
  })

  it('hands context of a hook that does not refuse to the next prompt', async () => {
    const model = scripted(END, END)
    const interceptor = hooks({ Stop: () => ({ context: [{ by: 'notes', text: 'remember' }] }) })
    const { session } = await play({ model, interceptor })
    await session.run('next').result
    expect(model.requests[1]?.messages.at(-1)?.role).toBe('user')
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('[hook notes] remember')
  })
})

describe('a session', () => {
  it('starts once, before its first prompt', async () => {
    const interceptor = hooks()
    const { session, events } = await play({ model: scripted(END, END), interceptor })
    const second = await collect(session.run('more'))
    const perRun = ['UserPromptSubmit', 'BeforeModel', 'AfterModel', 'Stop', 'AfterAgent']
    expect(interceptor.log.map(({ event }) => event)).toEqual(['SessionStart', ...perRun, ...perRun])
    expect(interceptor.log[0]?.payload).toEqual({ source: 'startup', model: 'scripted' })
    expect([...events, ...second].filter(({ type }) => type === 'session_start')).toHaveLength(1)
  })

  it('can not be refused by a hook, and the attempt is said', async () => {
    const interceptor = hooks({ SessionStart: () => ({ block: { by: 'x', reason: 'no' } }) })
    const { result, events } = await play({ model: scripted(END), interceptor })
    expect(result.reason).toBe('done')
    expect(ofType(events, 'notice')).toMatchObject([{ by: 'x', text: expect.stringContaining('block ignored') }])
  })

  it('does not mix with another one of the same agent', async () => {
    const model = scripted(
      { calls: [{ tool: 'Echo', input: { text: 'hi' } }] },
      { when: { tool: 'Echo' }, say: 'done' },
    )
    const interceptor = hooks()
    const { agent, clock } = await setUp({ model, interceptor, tools: [echoTool()] })
    const [a, b] = [agent.session({ id: 'a', cwd: '/a' }), agent.session({ id: 'b', cwd: '/b', user: 'me' })]
    const [eventsA, eventsB] = await Promise.all([collect(a.run('from a')), collect(b.run('from b'))])
    expect(new Set(eventsA.map(({ session_id }) => session_id))).toEqual(new Set(['a']))
    expect(new Set(eventsB.map(({ session_id }) => session_id))).toEqual(new Set(['b']))
    expect(JSON.stringify(a.messages)).not.toContain('from b')
    expect(a.messages).toHaveLength(4)
    expect(b.messages).toHaveLength(4)
    expect(interceptor.log.filter(({ event }) => event === 'SessionStart')).toHaveLength(2)
    expect(clock.pending).toBe(0)
  })

  it('tells every engine who it is', async () => {
    const refs: SessionRef[] = []
    const noting =
      <T>(session: (ref: SessionRef) => T) =>
      (ref: SessionRef): T => {
        refs.push(ref)
        return session(ref)
      }
    const { agent } = await setUp({
      model: scripted(END),
      interceptor: { session: noting(hooks().session) },
      gate: { session: noting(gate().session) },
      extensions: [{ session: noting(() => ({})) }],
    })
    refs.length = 0
    agent.session({ id: 's', cwd: '/a', permissionMode: 'plan', user: 'me' })
    const ref = { id: 's', cwd: '/a', origin: 'main', permissionMode: 'plan', user: 'me' }
    expect(refs).toEqual([ref, ref, ref])
  })

  it('runs one prompt at a time and is free again when it tells the result', async () => {
    const { session } = await setUp({ model: scripted(END, END, END) })
    const run = session.run('go')
    expect(() => session.run('now')).toThrow(expect.objectContaining({ code: 'agent-core.session.busy' }))
    let second: Promise<RunEvent[]> | undefined
    for await (const event of run) if (event.type === 'result') second = collect(session.run('now'))
    expect((await second)?.at(-1)).toMatchObject({ type: 'result', reason: 'done' })
    expect(await session.run('third').result).toMatchObject({ reason: 'done' })
  })

  it('never has an empty id', async () => {
    const { agent } = await setUp({ model: scripted(END) })
    const code = expect.objectContaining({ code: 'agent-core.session.id' })
    expect(() => agent.session({ id: '', cwd: '/a' })).toThrow(code)
    const nameless = await setUp({ model: scripted(END), ids: () => 'x' })
    expect(nameless.session.id).toBe('x')
    await expect(setUp({ model: scripted(END), ids: () => '' })).rejects.toThrow(code)
  })

  it('hands out copies of the conversation, and the model gets them too', async () => {
    const requests: ModelRequest[] = []
    const script = scripted(CALL, END)
    const { session } = await play({
      tools: [echoTool()],
      model: {
        id: 'm',
        stream(request, options) {
          requests.push(request)
          return script.stream(request, options)
        },
      },
    })
    ;(session.messages as unknown[]).length = 0
    expect(session.messages).toHaveLength(4)
    expect(requests.map(({ messages }) => messages.length)).toEqual([1, 3])
  })
})

describe('an agent', () => {
  it.each([{ maxTurns: 0 }, { toolTimeoutMs: Number.NaN }, { maxStopBlocks: -1 }, { maxResultBytes: 1.5 }])(
    'is not made with the limits %o',
    async (limits) => {
      await expect(setUp({ model: scripted(END), limits })).rejects.toThrow(
        expect.objectContaining({ code: 'agent-core.limit' }),
      )
    },
  )

  it('that is closed aborts what runs, waits for it, and starts nothing more', async () => {
    const { agent, session, clock } = await setUp({ model: recorded({ id: 'm', stream: () => hanging() }) })
    const run = session.run('go')
    await settle()
    await agent.close()
    expect(await run.result).toMatchObject({ reason: 'aborted' })
    const code = expect.objectContaining({ code: 'agent-core.closed' })
    expect(() => session.run('more')).toThrow(code)
    expect(() => agent.session({ cwd: '/a' })).toThrow(code)
    expect(clock.pending).toBe(0)
  })
})

async function* hanging(): AsyncGenerator<never> {
  yield await never()
}
