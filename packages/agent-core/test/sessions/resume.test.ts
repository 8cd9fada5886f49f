import type { PermissionMode, SessionRef } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import type { Extension, ExtensionSession } from '../../src/types.js'
import {
  type AgentSetup,
  allowed,
  CWD,
  collect,
  echoTool,
  hooks,
  ofType,
  resultTexts,
  scripted,
  setUp,
} from '../kit.js'
import { eventsIn, store } from './kit.js'

const CALL = { calls: [{ tool: 'Echo', input: { text: 'hi' } }] }
const usage = { inputTokens: 10, outputTokens: 2, costUsd: 0.25 }

/** A process in which a session has been run and ended. */
async function before(options: Partial<AgentSetup> = {}) {
  const kept = store()
  const model = scripted({ ...CALL, usage }, { say: 'done', usage }, { say: 'again', usage }, { say: 'more', usage })
  const agentOptions: AgentSetup = { model, tools: [echoTool()], store: kept, ...options }
  const { agent, session } = await setUp(agentOptions)
  const { id } = session
  expect((await session.run('first prompt').result).reason).toBe('done')
  const messages = session.messages
  await agent.close()
  const interceptor = hooks()
  let ids = 100
  const next = await setUp({ ...agentOptions, ids: () => `id-${++ids}`, interceptor })
  return { kept, id, messages, interceptor, ...next }
}

describe('a session that is resumed', () => {
  it('has its conversation, its totals and its mode, and goes on in the same log', async () => {
    const { kept, id, messages, agent, interceptor } = await before()
    const session = await agent.resume(id)
    expect(session.id).toBe(id)
    expect(session.messages).toEqual(messages)
    expect(Object.isFrozen(session.messages[1])).toBe(true)
    const totals = { prompts: 1, turns: 2, inputTokens: 20, outputTokens: 4, costUsd: 0.5 }
    expect(session.totals).toEqual(totals)
    const events = await collect(session.run('second prompt'))
    expect(events[0]).toMatchObject({ type: 'session_start', source: 'resume', session_id: id })
    expect(session.totals).toEqual({ prompts: 2, turns: 3, inputTokens: 30, outputTokens: 6, costUsd: 0.75 })
    expect(interceptor.log[0]).toEqual({ event: 'SessionStart', payload: { source: 'resume', model: 'scripted' } })
    await agent.close()
    expect(eventsIn(kept.place(id)).map(({ type }) => type)).toEqual([
      ...['run', 'message', 'message', 'start', 'result', 'message', 'end'],
      ...['resume', 'run', 'message', 'message', 'end'],
    ])
    const last = await setUp({ model: scripted(), store: kept })
    expect((await last.agent.resume(id)).totals).toEqual({
      ...{ prompts: 2, turns: 3, inputTokens: 30, outputTokens: 6, costUsd: 0.75 },
    })
  })

  it('tells gate, hooks and tools the mode, the folder and the person that it was kept with, unless told others', async () => {
    const refs: SessionRef[] = []
    const kept = store()
    const extension: Extension = {
      session(ref) {
        refs.push(ref)
        return {}
      },
    }
    const options = { model: scripted({ say: 'ok' }, { say: 'ok' }), store: kept, extensions: [extension] }
    const { agent } = await setUp(options)
    const session = agent.session({ id: 's', cwd: '/srv/app', permissionMode: 'acceptEdits', user: 'ada' })
    await session.run('go').result
    await agent.close()
    const place = kept.place('s', '/srv/app')
    const ref = { id: 's', cwd: '/srv/app', origin: 'main', permissionMode: 'acceptEdits', user: 'ada' }
    const again = await setUp(options)
    const resumed = await again.agent.resume('s')
    expect(refs.at(-1)).toEqual({ ...ref, transcriptPath: place })
    const events = await collect(resumed.run('more'))
    expect(ofType(events, 'notice').map(({ text }) => text)).toEqual([
      'The session goes on in the permission mode that it was kept in: acceptEdits.',
    ])
    await again.agent.close()
    const third = await setUp({ ...options, model: scripted({ say: 'ok' }, { say: 'ok' }, { say: 'ok' }) })
    const moved = await third.agent.resume('s', { cwd: '/srv/other', permissionMode: 'plan', user: 'bob' })
    expect(refs.at(-1)).toMatchObject({ cwd: '/srv/other', permissionMode: 'plan', user: 'bob', transcriptPath: place })
    expect(ofType(await collect(moved.run('go')), 'notice')).toEqual([])
    await third.agent.close()
    // What it was told last is what it is kept with.
    const fourth = await setUp(options)
    await fourth.agent.resume('s')
    expect(refs.at(-1)).toMatchObject({ cwd: '/srv/other', permissionMode: 'plan' })
  })

  it('that is not there, or without a store, says so', async () => {
    const { agent } = await before()
    await expect(agent.resume('nobody')).rejects.toMatchObject({
      code: 'agent-core.session.unknown',
      message: expect.stringContaining('There is no session `nobody`'),
    })
    const bare = await setUp({ model: scripted() })
    await expect(bare.agent.resume('x')).rejects.toMatchObject({ code: 'agent-core.session.no-store' })
    await expect(agent.resume('x', { permissionMode: 'wild' as PermissionMode })).rejects.toMatchObject({
      code: 'agent-core.session.mode',
    })
    await agent.close()
    await expect(agent.resume('x')).rejects.toMatchObject({ code: 'agent-core.closed' })
  })

  it('is nobody else’s until it has ended', async () => {
    const { agent, id } = await before()
    const session = await agent.resume(id)
    await expect(agent.resume(id)).rejects.toMatchObject({
      code: 'agent-core.session.locked',
      message: expect.stringContaining('This process works on the session.'),
    })
    await session.end()
    expect((await agent.resume(id)).messages).toHaveLength(4)
    await agent.close()
  })

  it('takes the place of another one, which ends first', async () => {
    const { agent, session, id, interceptor, messages } = await before()
    const own = session.id
    await session.run('something else').result
    const events = await session.resume(id)
    expect(events).toMatchObject([{ type: 'session_end', reason: 'resume', session_id: own }])
    expect(session.id).toBe(id)
    expect(session.messages).toEqual(messages)
    await session.run('go on').result
    const moments = interceptor.log.filter(({ event }) => /^Session/.test(event))
    expect(moments.map(({ payload }) => payload)).toEqual([
      { source: 'startup', model: 'scripted' },
      { reason: 'resume' },
      { source: 'resume', model: 'scripted' },
    ])
    // The other one can be taken up in turn.
    expect((await agent.resume(own)).messages).not.toEqual(messages)
    await agent.close()
  })

  it('stays what it is when the other one can’t be taken up', async () => {
    const { session, interceptor } = await before()
    await session.run('go').result
    const before_ = session.messages
    await expect(session.resume('nobody')).rejects.toMatchObject({ code: 'agent-core.session.unknown' })
    expect(session.messages).toEqual(before_)
    expect(interceptor.log.map(({ event }) => event)).not.toContain('SessionEnd')
    expect((await session.run('on').result).reason).toBe('done')
  })

  it('gets back what extensions kept, each its own, and says what is missing', async () => {
    const keeper = (name: string, more: Partial<ExtensionSession> = {}): Extension & { readonly got: unknown[] } => {
      const got: unknown[] = []
      return {
        got,
        session: () => ({
          state: () => ({ name }),
          restore: (saved) => {
            got.push(saved)
          },
          ...more,
        }),
      }
    }
    const first = [keeper('a'), { session: () => ({}) }, keeper('b')]
    const { agent, id, kept } = await before({ extensions: first })
    await (await agent.resume(id)).end()
    expect(first.map((each) => ('got' in each ? each.got : undefined))).toEqual([
      [{ name: 'a' }],
      undefined,
      [{ name: 'b' }],
    ])
    const missing = keeper('a', { restore: () => ({ missing: ['deploy', 'lint'] }) })
    const failing = keeper('b', {
      restore: () => {
        throw new Error('what is this?')
      },
      state: () => 1n,
    })
    const model = scripted({ say: 'x' }, { say: 'x' }, { say: 'x' })
    const next = await setUp({ model, store: kept, extensions: [missing, { session: () => ({}) }, failing] })
    const events = await collect((await next.agent.resume(id)).run('go'))
    expect(ofType(events, 'notice').map(({ text }) => text)).toEqual([
      'Not there any more since the session was kept: deploy, lint.',
      'An extension could not take up what it had kept: what is this?',
      'The state of an extension is not kept: it holds a bigint, which is no JSON.',
    ])
  })

  it('has in its next message what hooks wanted to be there', async () => {
    const context = [{ by: 'me', text: 'remember the milk' }]
    const { agent, id } = await before({ interceptor: hooks({ Stop: () => ({ context }) }) })
    const session = await agent.resume(id)
    await session.run('go').result
    expect(JSON.stringify(session.messages[4])).toContain('remember the milk')
  })
})

it('what was granted for the session stays with the view of the gate that had it, also in the same process', async () => {
  const { agent, id } = await before({
    model: scripted({ say: 'ok' }, { ...CALL }, { say: 'ok' }, { ...CALL }, { say: 'ok' }),
    gate: {
      // As a person does who allows it for the session, who is asked once.
      session(ref) {
        let asked = 0
        return {
          authorize: async () => ({ ...allowed(`asked ${++asked} times in ${ref.id}`), answeredBy: 'user' }),
        }
      },
    },
  })
  const reasons: string[] = []
  for (const prompt of ['one', 'two']) {
    const session = await agent.resume(id)
    reasons.push(...ofType(await collect(session.run(prompt)), 'permission').map(({ reason }) => reason))
    await session.end()
  }
  expect(reasons).toEqual([`asked 1 times in ${id}`, `asked 1 times in ${id}`])
})

describe('a session that is copied', () => {
  it('goes on beside the other one, with an id and a log of its own', async () => {
    const { agent, session, kept, interceptor } = await before()
    await session.run('go').result
    const copy = session.fork()
    expect(copy.messages).toEqual(session.messages)
    expect(copy.id).not.toBe(session.id)
    await copy.run('another way').result
    await session.run('this way').result
    expect([resultTexts(copy), copy.messages.length, session.messages.length]).toEqual([['echo: hi'], 6, 6])
    expect(copy.totals).toMatchObject({ prompts: 1, turns: 1 })
    expect(interceptor.log.find(({ payload }) => 'source' in payload && payload.source === 'fork')?.payload).toEqual({
      source: 'fork',
      model: 'scripted',
      from_session_id: session.id,
    })
    await agent.close()
    const listed = await kept.list()
    expect(listed.find(({ id }) => id === copy.id)).toMatchObject({ from: session.id, title: 'go' })
    const again = await setUp({ model: scripted(), store: kept })
    expect((await again.agent.resume(copy.id)).messages).toEqual(copy.messages)
  })

  it('goes on beside the other one also where nothing is kept', async () => {
    const { session } = await setUp({ model: scripted({ say: 'a' }, { say: 'b' }) })
    await session.run('go').result
    const copy = session.fork()
    expect((await copy.run('more').result).text).toBe('b')
    expect([session.messages.length, copy.messages.length]).toEqual([2, 4])
  })

  it('can be a copy of one that somebody else works on', async () => {
    const { agent, id, messages } = await before()
    await agent.resume(id)
    const copy = await agent.resume(id, { fork: true })
    expect(copy.messages).toEqual(messages)
    expect(copy.id).not.toBe(id)
    const events = await collect(copy.run('go'))
    expect(events[0]).toMatchObject({ source: 'fork', session_id: copy.id })
  })
})

describe('a session that is cleared', () => {
  it('leaves its log behind, and the next one has its own', async () => {
    const { session, kept, agent } = await before()
    await session.run('go').result
    const old = session.id
    await session.clear()
    await session.run('fresh').result
    await agent.close()
    const titles = (await kept.list()).map(({ id, title }) => [id, title])
    expect(titles).toContainEqual([old, 'go'])
    expect(titles).toContainEqual([session.id, 'fresh'])
  })
})

it('a session that never runs leaves no file', async () => {
  const kept = store()
  const { agent } = await setUp({ model: scripted(), store: kept })
  agent.session({ cwd: CWD })
  await agent.close()
  expect(await kept.list()).toEqual([])
})
