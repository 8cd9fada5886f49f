import type { SessionRef } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import type { Agent, AgentSession, Extension, Interceptor, Message } from '../src/types.js'
import { byNow, CWD, collect, echoTool, gate, hooks, modelOf, never, ofType, scripted, settle, setUp } from './kit.js'

const END = { say: 'done' }
const EVENTS = ['SessionStart', 'SessionEnd']

/** Notes which session hears what. */
function sessionLog() {
  const log: string[] = []
  const interceptor: Interceptor = {
    session: (ref) => ({
      async fire(event, payload) {
        if (EVENTS.includes(event)) log.push(`${ref.id} ${event} ${JSON.stringify(payload())}`)
        return { runs: [], context: [], notices: [] }
      },
    }),
  }
  return { log, interceptor }
}

describe('clear', () => {
  it('ends the session and begins another one with an id of its own', async () => {
    const { log, interceptor } = sessionLog()
    const { session } = await setUp({ model: scripted(END), interceptor })
    await session.run('go').result
    expect(session.messages).toHaveLength(2)
    const before = session.id
    const events = await session.clear()
    expect(session.id).not.toBe(before)
    expect(session.messages).toEqual([])
    expect(events).toMatchObject([{ type: 'session_end', session_id: before, reason: 'clear' }])
    const next = await collect(session.run('again'))
    expect(next[0]).toMatchObject({ type: 'session_start', source: 'clear', session_id: session.id })
    const model = 'scripted'
    expect(log).toEqual([
      `${before} SessionStart ${JSON.stringify({ source: 'startup', model })}`,
      `${before} SessionEnd {"reason":"clear"}`,
      `${session.id} SessionStart ${JSON.stringify({ source: 'clear', model, from_session_id: before })}`,
    ])
  })

  it('gives hooks, gate and extensions a session without a past', async () => {
    const refs: SessionRef[] = []
    const note = (ref: SessionRef) => {
      refs.push(ref)
      return {}
    }
    const permission = gate()
    const extension: Extension = { session: note }
    const { session } = await setUp({
      model: scripted(END),
      extensions: [extension],
      gate: { session: (ref) => ({ ...note(ref), ...permission.session(ref) }) },
    })
    await session.run('go').result
    await session.clear()
    expect(refs.map(({ id }) => id)).toEqual(['id-1', 'id-1', session.id, session.id])
    expect(refs.every(({ cwd, permissionMode }) => cwd === CWD && permissionMode === 'default')).toBe(true)
  })

  it('that gets no new id leaves the session as it is', async () => {
    let made = 0
    const ids = () => (made++ < 2 ? `id-${made}` : '')
    const interceptor = hooks()
    const { session } = await setUp({ model: scripted(END, END), ids, interceptor })
    await session.run('go').result
    await expect(session.clear()).rejects.toMatchObject({ code: 'agent-core.session.id' })
    expect(session.id).toBe('id-1')
    expect(interceptor.log.map(({ event }) => event)).not.toContain('SessionEnd')
    expect(await session.run('on').result).toMatchObject({ reason: 'done' })
    expect(session.messages).toHaveLength(4)
  })

  it('of a session that has not begun fires nothing, and during a run throws', async () => {
    const { log, interceptor } = sessionLog()
    const { session } = await setUp({ model: modelOf([never]), interceptor })
    expect(await session.clear()).toEqual([])
    expect(log).toEqual([])
    const controller = new AbortController()
    const run = session.run('go', { signal: controller.signal })
    await expect(session.clear()).rejects.toMatchObject({ code: 'agent-core.session.busy' })
    controller.abort()
    await run.result
    const clearing = session.clear()
    expect(() => session.run('too early')).toThrow(expect.objectContaining({ code: 'agent-core.session.busy' }))
    await clearing
  })
})

describe('the end of a session', () => {
  it('aborts its run, tells the hooks once, and leaves nothing that could be run', async () => {
    const { log, interceptor } = sessionLog()
    const { session, clock } = await setUp({ model: modelOf([never]), interceptor })
    const run = session.run('go')
    await settle()
    const [first, second] = await Promise.all([session.end('logout'), session.end()])
    expect(await run.result).toMatchObject({ reason: 'aborted' })
    expect(first).toBe(second)
    expect(log.filter((line) => line.includes('SessionEnd'))).toEqual(['id-1 SessionEnd {"reason":"logout"}'])
    expect(() => session.run('more')).toThrow(expect.objectContaining({ code: 'agent-core.session.ended' }))
    await expect(session.clear()).rejects.toMatchObject({ code: 'agent-core.session.ended' })
    expect(clock.pending).toBe(0)
  })

  it('gives what the hooks had to say, since no run tells it', async () => {
    const interceptor = hooks({
      SessionEnd: () => ({
        runs: [{ hook: 'tidy', outcome: 'decided', ms: 3 }],
        notices: [{ by: 'tidy', text: 'tidied up' }],
        block: { by: 'tidy', reason: 'stay' },
      }),
    })
    const { session } = await setUp({ model: scripted(END), interceptor })
    await session.run('go').result
    expect(await session.end('prompt_input_exit')).toMatchObject([
      { type: 'hook', event: 'SessionEnd', hook: 'tidy' },
      { type: 'notice', text: 'tidied up' },
      { type: 'notice', text: 'block ignored, a session ends anyway: stay' },
      { type: 'session_end', reason: 'prompt_input_exit' },
    ])
  })

  it('does not wait for ever for hooks that never answer', async () => {
    const { session, clock } = await setUp({ model: scripted(END), interceptor: hooks({ SessionEnd: never }) })
    await session.run('go').result
    const ending = session.end()
    await settle()
    clock.advance(60_000)
    expect(ofType(await ending, 'notice')).toMatchObject([
      { text: 'The hooks of SessionEnd were still running after 60 s.' },
    ])
    expect(clock.pending).toBe(0)
  })

  it.each<[string, (agent: Agent, session: AgentSession) => Promise<unknown>]>([
    ['by whoever closes the agent a second time', (agent) => agent.close()],
    ['by whoever closes the agent while it is cleared', (_, session) => session.clear()],
    ['by whoever closes the agent while it ends', (_, session) => session.end()],
  ])('is waited for %s', async (_, begin) => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const interceptor = hooks({ SessionEnd: () => released.then(() => ({})) })
    const { agent, session } = await setUp({ model: scripted(END), interceptor })
    await session.run('go').result
    const first = begin(agent, session)
    await settle()
    const closing = agent.close()
    expect(await byNow(closing)).toBe('open')
    release()
    await Promise.all([first, closing])
    expect(interceptor.log.filter(({ event }) => event === 'SessionEnd')).toHaveLength(1)
  })

  it('comes for every session that has begun when the agent closes', async () => {
    const { log, interceptor } = sessionLog()
    const { agent } = await setUp({ model: scripted(END), interceptor })
    const [a, b, c] = ['a', 'b', 'c'].map((id) => agent.session({ id, cwd: CWD }))
    await Promise.all([a?.run('go').result, b?.run('go').result])
    await b?.end()
    const events = await agent.close()
    expect(events).toMatchObject([{ type: 'session_end', session_id: 'a', reason: 'other' }])
    expect(log.filter((line) => line.includes('SessionEnd')).map((line) => line.split(' ')[0])).toEqual(['b', 'a'])
    expect(() => c?.run('go')).toThrow(expect.objectContaining({ code: 'agent-core.closed' }))
  })
})

describe('a run with messages', () => {
  const history: readonly Message[] = [
    { role: 'user', content: [{ type: 'text', text: 'list' }] },
    { role: 'assistant', text: '', calls: [{ id: 'c', name: 'Echo', input: {} }] },
    { role: 'tool', results: [{ callId: 'c', name: 'Echo', isError: false, content: [{ type: 'text', text: 'a' }] }] },
  ]

  it('goes on from them, and the last one of the user is the prompt', async () => {
    const interceptor = hooks()
    const model = { ...modelOf([{ type: 'text', text: 'ok' }]), limits: { images: true } }
    const { session } = await setUp({ model, interceptor, tools: [echoTool()] })
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const
    const prompt: Message = { role: 'user', content: [{ type: 'text', text: 'and now?' }, image] }
    const run = session.run([...history, prompt])
    expect(ofType(await collect(run), 'user')).toMatchObject([{ text: 'and now?' }])
    expect(model.requests[0]?.messages).toEqual([...history, prompt])
    expect(interceptor.log.find(({ event }) => event === 'UserPromptSubmit')?.payload).toEqual({ prompt: 'and now?' })
  })

  it('that end with results of tools asks the model with them, and with nothing behind them', async () => {
    const model = modelOf([{ type: 'text', text: 'ok' }])
    const { session } = await setUp({ model })
    expect(await session.run(history).result).toMatchObject({ reason: 'done', text: 'ok' })
    expect(model.requests[0]?.messages).toEqual(history)
  })

  it('has images in any of them left out for a model that takes none', async () => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const
    const model = modelOf([{ type: 'text', text: 'ok' }])
    const { session } = await setUp({ model })
    const [, assistant] = history
    const messages = [
      { role: 'user', content: [image] },
      ...(assistant ? [assistant] : []),
      { role: 'tool', results: [{ callId: 'c', name: 'Echo', isError: false, content: [image] }] },
      { role: 'user', content: [image] },
    ] as const
    await session.run(messages).result
    const left = '[left out: an image (image/png, 4 bytes in base64); this model takes none]'
    const sent = JSON.stringify(model.requests[0]?.messages)
    expect(sent.split(JSON.stringify(left))).toHaveLength(4)
    expect(sent).not.toContain('AAAA')
  })

  it.each<[string, unknown, string]>([
    ['nothing', [], 'there is no message'],
    ['no list', { role: 'user' }, 'messages must be a list; it is a map'],
    ['a word of the assistant last', [{ role: 'assistant', text: 'hi', calls: [] }], 'the last message'],
    ['calls without results', history.slice(0, 2), 'the calls of message 2 have no results'],
    [
      'something between a call and its result',
      [...history.slice(0, 2), history[0]],
      'message 3 must hold the results',
    ],
    ['results without calls', [history[2]], 'message 1 must have one result for each call before it'],
    ['an unknown role', [{ role: 'system', content: [] }], 'message 1 needs a role'],
    ['content that is a text', [{ role: 'user', content: 'hi' }], 'message 1 needs `content`'],
  ])('throws for %s, and says where', async (_, messages, problem) => {
    const { session } = await setUp({ model: scripted(END) })
    const run = () => session.run(messages as readonly Message[])
    expect(run).toThrow(expect.objectContaining({ code: 'agent-core.run.messages' }))
    expect(run).toThrow(problem)
    expect((await session.run('go').result).reason).toBe('done')
  })
})

describe('two sessions of one id', () => {
  it('run one at a time', async () => {
    const controller = new AbortController()
    const { agent } = await setUp({ model: modelOf([never], [{ type: 'text', text: 'ok' }]) })
    const [one, other] = [agent.session({ id: 'same', cwd: CWD }), agent.session({ id: 'same', cwd: CWD })]
    const busy = expect.objectContaining({ code: 'agent-core.session.busy' })
    const run = one.run('go', { signal: controller.signal })
    await settle()
    expect(() => other.run('go')).toThrow(busy)
    await expect(other.clear()).rejects.toEqual(busy)
    controller.abort()
    await run.result
    expect(await other.run('go').result).toMatchObject({ reason: 'done', text: 'ok' })
    expect(one.messages).toHaveLength(1)
  })
})

describe('a thousand sessions side by side', () => {
  it('keep their ids, their conversations and their counters to themselves', async () => {
    const seen = new Map<string, Set<string>>()
    const interceptor: Interceptor = {
      session: (ref) => ({
        async fire(event, payload) {
          const texts = JSON.stringify(payload())
          const numbers = seen.get(ref.id) ?? new Set()
          seen.set(ref.id, numbers)
          for (const found of texts.matchAll(/session-\d+/g)) numbers.add(found[0])
          numbers.add(`event ${event}`)
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 3))
          return { runs: [], context: [{ by: ref.id, text: ref.id }], notices: [] }
        },
      }),
    }
    const tool = echoTool('Echo', {
      run: async (_, { session }) => ({ content: [{ type: 'text', text: session.id }], isError: false }),
    })
    const { agent } = await setUp({
      model: {
        id: 'm',
        async *stream({ messages }) {
          const text = JSON.stringify(messages)
          const ids = new Set(text.match(/session-\d+/g))
          if (ids.size !== 1) throw new Error(`a conversation of ${ids.size} sessions`)
          const id = [...ids][0] ?? ''
          if (!text.includes('"tool"')) yield { type: 'tool_call', id: 'c', name: 'Echo', input: { text: id } }
          else yield { type: 'text', text: id }
        },
      },
      interceptor,
      tools: [tool],
    })
    const ids = Array.from({ length: 1000 }, (_, index) => `session-${index}`)
    const results = await Promise.all(
      ids.map(async (id) => {
        const run = agent.session({ id, cwd: CWD }).run(`I am ${id}`)
        const events = await collect(run)
        return { id, result: await run.result, events }
      }),
    )
    for (const { id, result, events } of results) {
      expect(result).toMatchObject({ reason: 'done', text: id, turns: 2 })
      expect(events.every((event) => event.session_id === id)).toBe(true)
      expect([...(seen.get(id) ?? [])].filter((text) => text.startsWith('session-'))).toEqual([id])
    }
    expect(await agent.close()).toHaveLength(ids.length)
  }, 30_000)
})
