import { fakeClock } from '@ext/kernel/testing'
import { describe, expect, it } from 'vitest'
import { createAgent } from '../src/index.js'
import type { AgentOptions, Extension, RunEvent, RunResult, SessionStore } from '../src/types.js'
import {
  type AgentSetup,
  byNow,
  CWD,
  collect,
  echoTool,
  gate,
  hooks,
  modelOf,
  never,
  nonsense,
  ofType,
  play,
  scripted,
  settle,
  setUp,
} from './kit.js'

const CALL = { calls: [{ tool: 'Echo', input: { text: 'x' } }] }
const END = { say: 'Done.' }
const fails = (): never => {
  throw new Error('host is gone')
}
const rejects = async (): Promise<never> => fails()

type Way = readonly [string, () => unknown]

const ways = [
  ['throws', fails],
  ['rejects', rejects],
] as const

/** An unhandled rejection fails the test file, so each of these also shows that there is none. */
function expectGoesOn({ events, result }: { readonly events: readonly RunEvent[]; readonly result: RunResult }) {
  expect(result).toMatchObject({ reason: 'done', text: 'Done.' })
  return ofType(events, 'notice').map(({ text }) => text)
}

const bring = (part: object): Extension => ({ session: () => nonsense(part) })

describe('a callback of the host that fails', () => {
  it.each(ways)('in an extension costs itself alone and is said, when it %s', async (_, fail) => {
    for (const name of ['called', 'runEnded', 'state'] as const) {
      const store = storeOf({})
      const played = await play({
        model: scripted(CALL, END),
        tools: [echoTool()],
        extensions: [bring({ [name]: fail })],
        store,
      })
      await settle()
      const notices = expectGoesOn(played)
      // A run that is over tells nobody of a rejection that comes later.
      if (name !== 'runEnded' || fail === fails) expect(notices.join('\n'), name).toContain('host is gone')
    }
  })

  it.each(ways)(
    'when an extension looks for a tool that is not listed, says so to the model, when it %s',
    async (_, fail) => {
      const call = { calls: [{ tool: 'Hidden', input: {} }] }
      const { events } = await play({ model: scripted(call, END), extensions: [bring({ tool: fail })] })
      await settle()
      expect(ofType(events, 'tool_rejected')[0]?.reason).toMatch(/An extension failed|left out/)
    },
  )

  it.each(ways)('when an extension is told of a compaction is said, when it %s', async (_, fail) => {
    const long = { say: 'long '.repeat(500) }
    const { session } = await setUp({
      model: scripted(long, long, long, END),
      extensions: [bring({ compact: fail })],
      compaction: { keepTurns: 1, summarize: async () => 'short' },
    })
    for (const prompt of ['one', 'two', 'three']) await session.run(prompt).result
    const events = await collect(session.compact())
    await settle()
    expect(ofType(events, 'compacted')).toHaveLength(1)
    expect(
      ofType(events, 'notice')
        .map(({ text }) => text)
        .join('\n'),
    ).toContain('host is gone')
  })

  it.each(ways)('in the summary of a compaction is named, and the conversation stays, when it %s', async (_, fail) => {
    const long = { say: 'long '.repeat(500) }
    const { session } = await setUp({ model: scripted(long, long, END), compaction: { keepTurns: 0, summarize: fail } })
    for (const prompt of ['one', 'two']) await session.run(prompt).result
    const events = await collect(session.compact())
    expect(ofType(events, 'notice').map(({ text }) => text)).toEqual([
      'The conversation is not compacted: `compaction.summarize` failed: host is gone.',
    ])
    expect(session.messages).toHaveLength(4)
  })

  it.each(ways)('before a turn is named, when it %s', async (_, fail) => {
    const notices = expectGoesOn(await play({ model: scripted(END), beforeTurn: fail }))
    expect(notices).toEqual(['`beforeTurn` failed: host is gone'])
  })

  it.each<Way>([...ways, ['gives nothing', () => undefined], ['gives a list', async () => []]])(
    'when instructions are loaded costs those alone, when it %s',
    async (_, load) => {
      const notices = expectGoesOn(await play({ model: scripted(END), instructions: { load: nonsense(load) } }))
      expect(notices).toEqual([expect.stringContaining('The instruction files can’t be loaded: ')])
    },
  )

  it.each<Way>([...ways, ['gives nothing', () => undefined], ['gives a text', async () => 'x']])(
    'when a prompt is expanded ends the run before the model is asked, when it %s',
    async (_, expand) => {
      const model = scripted(END)
      const { session } = await setUp({ model })
      const run = session.run('go', { expand: nonsense(expand) })
      expect(await run.result).toMatchObject({ reason: 'blocked' })
      const said = ofType(await collect(run), 'notice').map(({ text }) => text)
      expect(said).toEqual([expect.stringContaining('The prompt could not be made ready: ')])
      expect(model.requests).toEqual([])
    },
  )

  it.each<Way>([...ways, ['gives nothing', async () => undefined]])(
    'when a model is looked up by its name is named, and the run’s own model is used, when it %s',
    async (_, models) => {
      const wish = bring({ terms: () => [{ by: 'skill it', model: 'other' }] })
      const agents = [{ name: 'reader', description: 'Reads.', prompt: 'Read.', model: 'other' }]
      const start = { calls: [{ tool: 'agent', input: { type: 'reader', prompt: 'Read it.' } }] }
      const played = await play({
        model: scripted(start, END, END),
        models: nonsense(models),
        extensions: [wish],
        agents,
      })
      await settle()
      const notices = expectGoesOn(played).filter((text) => text.includes('`models`'))
      expect([...new Set(notices)]).toEqual([
        expect.stringContaining('skill it wants the model other, which is not known'),
        expect.stringContaining('The sub-agent reader wants the model other, which is not known'),
      ])
    },
  )

  it.each(ways)('that makes ids is named where it is asked, when it %s', async (_, ids) => {
    const agent = await createAgent({ model: scripted(END), ids: nonsense(ids), ports: { clock: fakeClock(0) } })
    expect(() => agent.session({ cwd: CWD })).toThrow(/`ids` (failed: host is gone|gave no text)/)
    const session = agent.session({ cwd: CWD, id: 'own' })
    const { reason, error } = await session.run('go').result
    expect([reason, error?.message]).toEqual(['error', expect.stringContaining('`ids`')])
    await expect(session.clear()).rejects.toThrow('`ids`')
    expect(session.id).toBe('own')
  })

  it.each(ways)('where output of a task is kept costs what does not fit into memory, when it %s', async (_, fail) => {
    const parts = { path: '/out', write: () => {}, close: () => {} }
    for (const files of [
      { open: fail },
      { open: () => ({ ...parts, write: fail }) },
      { open: () => ({ ...parts, close: fail }) },
    ]) {
      const tool = echoTool('Echo', {
        async run(_input, { background }) {
          await background?.({
            kind: 'command',
            subject: 'much',
            async run({ write }) {
              for (let part = 0; part < 3; part++) write('x'.repeat(65_000))
              return { failed: false, how: 'done' }
            },
          })
          return { content: [{ type: 'text', text: 'begun' }], isError: false }
        },
      })
      const { session } = await setUp({ model: scripted(CALL, END), tools: [tool], tasks: { files: nonsense(files) } })
      expect(await session.run('go').result).toMatchObject({ reason: 'done' })
      await settle()
      expect(session.tasks.list()).toMatchObject([{ state: 'completed', characters: 195_000 }])
      await session.end()
    }
  })

  it.each(['start', 'traceId', 'trace', 'set', 'end'])('in a tracer is said once: %s', async (name) => {
    const span = { set: () => {}, end: () => {} }
    const tracer = {
      start: name === 'start' ? fails : () => Object.defineProperty({ ...span }, name, { get: () => fails() }),
    }
    const listener = hooks()
    const notices = expectGoesOn(
      await play({ model: scripted(CALL, END), tools: [echoTool()], tracer: nonsense(tracer), interceptor: listener }),
    )
    if (name !== 'trace') expect(notices).toEqual(['Tracing failed and is off for this run: host is gone'])
  })

  it.each(ways)('at the end of hooks that had the conversation before holds nothing up, when it %s', async (_, end) => {
    const { session } = await setUp({
      model: scripted({ calls: [{ tool: 'handoff', input: { to: 'next' } }] }, END),
      agents: [{ name: 'next', description: 'Next.', prompt: 'Go on.', handoff: true }],
      handoff: {},
      interceptor: { session: () => ({ fire: () => undefined, end: nonsense(end) }) },
    })
    expect(await session.run('go').result).toMatchObject({ reason: 'done' })
    const events = await session.end()
    await settle()
    expect(events.map(({ type }) => type)).toContain('session_end')
  })

  it.each<[string, object]>([
    ['no hooks', { interceptor: { session: () => undefined } }],
    ['hooks that come later', { interceptor: { session: async () => ({ fire: () => undefined }) } }],
    ['hooks that would come later, and fail', { interceptor: { session: rejects } }],
    ['no permission', { gate: { session: () => undefined } }],
    ['no extension', { extensions: [{ session: () => undefined }] }],
  ])('that gives %s for a session opens none: a guard may be missing', async (_, options) => {
    await expect(setUp({ model: scripted(END), ...options } as AgentSetup)).rejects.toMatchObject({
      code: 'agent-core.session.port',
    })
    await settle()
  })
})

describe('a store', () => {
  it.each<[string, Partial<Record<'place' | 'create' | 'append' | 'sync' | 'close', unknown>>]>(
    [
      ...ways.map(([way, fail]) => [`create ${way}`, { create: fail }] as const),
      ...ways.map(([way, fail]) => [`append ${way}`, { append: fail }] as const),
      ...ways.map(([way, fail]) => [`sync ${way}`, { sync: fail }] as const),
      ...ways.map(([way, fail]) => [`close ${way}`, { close: fail }] as const),
      ['create gives nothing', { create: () => undefined }],
      ['place throws', { place: fails }],
    ].map(([name, parts]) => [name as string, parts as object]),
  )('whose %s costs the log, not the run', async (name, parts) => {
    const { session, agent } = await setUp({ model: scripted(END), store: storeOf(parts) })
    const run = session.run('go')
    expect(await run.result).toMatchObject({ reason: 'done' })
    const events = [...(await collect(run)), ...(await agent.close())]
    const said = ofType(events, 'notice').map(({ text }) => text)
    expect(said, name).toEqual([
      expect.stringMatching(
        name === 'place throws' ? /`store\.place` failed: host is gone/ : /is not kept from here on/,
      ),
    ])
  })
})

describe('a clock', () => {
  const options = (clock: object): AgentOptions => ({
    model: scripted(CALL, END),
    tools: [echoTool()],
    gate: gate(),
    limits: { maxRunMs: 60_000 },
    idleMs: 1000,
    ports: { clock: nonsense(clock) },
  })

  it.each<[string, object]>([
    ['that throws when it is asked', { now: fails }],
    ['that rejects when it is asked', { now: rejects }],
    ['that gives no number', { now: () => Number.NaN }],
    ['that throws when it shall wait', { after: fails }],
    ['that gives nothing that would cancel', { after: () => undefined }],
    ['that can not cancel', { after: () => fails }],
  ])('%s costs no run: the machine’s is used, and that is said once', async (_, broken) => {
    const agent = await createAgent(options({ ...fakeClock(1000), ...broken }))
    const session = agent.session({ cwd: CWD })
    const run = session.run('go')
    const events = await collect(run)
    expect(await run.result).toMatchObject({ reason: 'done', text: 'Done.' })
    expect(ofType(events, 'notice').filter(({ text }) => text.includes('`ports.clock`'))).toHaveLength(1)
    expect(events.map(({ type }) => type).slice(-1)).toEqual(['result'])
    const ended = await agent.close()
    expect(ended.map(({ type }) => type)).toContain('session_end')
  })

  it('that stops to work in the middle still ends what takes too long', async () => {
    let broken = false
    const inner = fakeClock(1000)
    const clock = {
      now: () => (broken ? fails() : inner.now()),
      after: (ms: number, fn: () => void) => (broken ? fails() : inner.after(ms, fn)),
    }
    const slow = echoTool('Echo', { run: never, timeoutMs: 20 })
    const stop = async () => {
      broken = true
    }
    const model = modelOf(
      [stop, { type: 'tool_call', id: 'a', name: 'Echo', input: { text: 'x' } }],
      [{ type: 'text', text: 'Done.' }],
    )
    const agent = await createAgent({ ...options(clock), model, tools: [slow] })
    const run = agent.session({ cwd: CWD }).run('go')
    expect(await run.result).toMatchObject({ reason: 'done', text: 'Done.' })
    expect(await byNow(agent.close())).not.toBe('open')
  })
})

/** A store that keeps nothing but for what is told otherwise. */
function storeOf({ create, place, ...writer }: Partial<Record<string, unknown>>): SessionStore {
  const made = { append: () => {}, sync: async () => {}, close: async () => {}, ...writer }
  return nonsense({ create: create ?? (async () => made), ...(place ? { place } : {}) })
}
