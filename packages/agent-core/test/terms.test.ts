import type { AgentOrder, AuthorizeRequest, RunTerms, Tool } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import { type ScriptTurn, scriptedModel } from '../src/scripted/index.js'
import type { Agent, AgentOptions, ExtensionSession, ModelRequest } from '../src/types.js'
import { journal } from './journal.js'
import {
  collect,
  denied,
  echoTool,
  gate,
  hooks,
  nonsense,
  ofType,
  play,
  READS,
  recorded,
  resultTexts,
  runnerHooks,
  scripted,
  setUp,
} from './kit.js'

const CALL: ScriptTurn = { calls: [{ tool: 'Echo', input: { text: 'x' } }] }
const END: ScriptTurn = { say: 'done' }

/** An extension that gives its terms until the run ends, to the main loop alone. */
function brings(...terms: readonly RunTerms[]) {
  const log: unknown[] = []
  let left = terms
  const session: ExtensionSession = {
    terms: () => left,
    called: ({ call }) => void log.push(call.input),
    runEnded() {
      left = []
      log.push('ended')
    },
  }
  return { log, extension: { session: ({ origin }: { origin: string }) => (origin === 'main' ? session : {}) } }
}

describe('Terms of a run', () => {
  it('go with every question to the gate until the run has ended', async () => {
    const permission = gate()
    const grant: RunTerms = { by: 'skill a', grants: ['Echo'] }
    const { extension, log } = brings(grant)
    const { session } = await setUp({
      model: scripted(CALL, END, CALL, END),
      tools: [echoTool()],
      extensions: [extension],
      gate: permission,
    })
    await session.run('one').result
    await session.run('two').result
    expect(permission.log.map(({ options }) => options.terms)).toEqual([[grant], undefined])
    expect(log).toEqual([{ text: 'x' }, 'ended', { text: 'x' }, 'ended'])
  })

  it('end with a run that is aborted, that fails, and that never gets to its first turn', async () => {
    for (const options of [
      { model: scripted({ fail: { kind: 'unknown', message: 'no' } }) },
      { model: scripted(END), interceptor: hooks({ UserPromptSubmit: () => ({ block: { by: 'h', reason: 'no' } }) }) },
    ] satisfies AgentOptionsPart[]) {
      const { extension, log } = brings({ by: 'skill a', grants: ['Echo'] })
      await play({ ...options, extensions: [extension] })
      expect(log).toEqual(['ended'])
    }
    const { extension, log } = brings({ by: 'skill a', grants: ['Echo'] })
    const { session } = await setUp({ model: scripted(END), extensions: [extension] })
    await session.run('go', { signal: AbortSignal.abort(new Error('no')) }).result
    expect(log).toEqual(['ended'])
  })

  it('limit sub-agents as well, and approve nothing for them', async () => {
    const permission = gate()
    const terms: RunTerms = { by: 'skill a', grants: ['Echo'], restrict: ['Echo', 'agent'] }
    const { extension, log } = brings(terms)
    const worker = { name: 'Worker', description: 'x', prompt: 'x' }
    await play({
      model: recorded(
        scriptedModel({
          turns: [{ calls: [{ tool: 'agent', input: { type: 'worker', prompt: 'look at it' } }] }, END],
          agents: [{ when: { contains: 'look at it' }, turns: [CALL, END] }],
        }),
      ),
      tools: [echoTool()],
      agents: [worker],
      extensions: [extension],
      gate: permission,
    })
    expect(permission.log.map(({ call, options }) => [call.name, options.terms])).toEqual([
      ['agent', [terms]],
      ['Echo', [{ by: 'skill a', restrict: ['Echo', 'agent'] }]],
    ])
    expect(log.slice(0, 1)).toEqual([{ text: 'x' }])
  })

  it('are handed to a tool, which may have something else authorized', async () => {
    const seen: unknown[] = []
    const tool: Tool = {
      ...echoTool(),
      async run(_, { terms }) {
        seen.push(terms)
        return { content: [], isError: false }
      },
    }
    const terms: RunTerms = { by: 'skill a', disallowed: ['Edit'] }
    await play({ model: scripted(CALL, END), tools: [tool], extensions: [brings(terms).extension] })
    expect(seen).toEqual([[terms]])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['gives no list', () => nonsense(Promise.resolve([]))],
  ])('that nobody knows, since an extension %s, refuse every call', async (_, terms) => {
    const tool = echoTool()
    const { session, events } = await play({
      model: scripted(CALL, END),
      tools: [tool],
      extensions: [{ session: () => ({ terms }) }],
    })
    expect(tool.ran).toEqual([])
    expect(ofType(events, 'permission')).toMatchObject([{ behavior: 'deny' }])
    expect(resultTexts(session)[0]).toContain('the permission check failed')
  })

  it.each<[string, Omit<RunTerms, 'by'>, number]>([
    ['disallows the tool', { disallowed: ['Echo'] }, 0],
    ['disallows some of its calls', { disallowed: ['echo(x *)'] }, 0],
    ['admits others only', { restrict: ['Read'] }, 0],
    ['admits some of its calls', { restrict: ['Echo(x *)'] }, 0],
    ['admits the tool', { restrict: ['Echo'] }, 1],
    ['disallows others', { disallowed: ['Read'] }, 1],
  ])('hold without a gate: one that %s', async (_, terms, times) => {
    const tool = echoTool('Echo', { kind: 'read' })
    const { events } = await play({
      model: scripted(CALL, END),
      tools: [tool],
      extensions: [brings({ by: 'skill a', ...terms }).extension],
      gate: undefined,
    })
    expect(tool.ran).toHaveLength(times)
    expect(ofType(events, 'permission')).toMatchObject([times === 0 ? { decidedBy: { layer: 'terms' } } : {}])
  })

  it('do not tell of a call that never ran', async () => {
    const { extension, log } = brings()
    await play({ model: scripted(CALL, END), tools: [echoTool()], extensions: [extension], gate: gate(() => denied()) })
    expect(log).toEqual(['ended'])
  })

  it('are only said when an extension fails to hear of them', async () => {
    const called = (_: AuthorizeRequest) => {
      throw new Error('deaf')
    }
    const runEnded = () => {
      throw new Error('deaf too')
    }
    const { result, events } = await play({
      model: scripted(CALL, END),
      tools: [echoTool()],
      extensions: [{ session: () => ({ called, runEnded }) }],
    })
    expect(result.reason).toBe('done')
    expect(ofType(events, 'notice').map(({ text }) => text)).toEqual([
      'An extension failed when it was told of the run: deaf',
      'An extension failed when it was told of the run: deaf too',
    ])
  })
})

type AgentOptionsPart = Pick<AgentOptions, 'model' | 'interceptor'>

describe('Model and effort', () => {
  it('are those that were asked for last, for the rest of the run', async () => {
    const other = scripted(CALL, END)
    const own = scripted(CALL, END)
    let terms: readonly RunTerms[] = []
    const tool: Tool = {
      ...echoTool(),
      async run() {
        terms = [
          { by: 'skill a', model: 'first', effort: 'low' },
          { by: 'skill b', model: 'other', effort: 'high' },
        ]
        return { content: [], isError: false }
      },
    }
    const { session, events } = await play({
      model: own,
      models: (name) => (name === 'other' ? { ...other, id: 'other' } : undefined),
      tools: [tool],
      extensions: [
        {
          session: () => ({
            terms: () => terms,
            runEnded: () => {
              terms = []
            },
          }),
        },
      ],
    })
    expect(ofType(events, 'model_start')).toMatchObject([
      { turn: 1, model: 'scripted' },
      { turn: 2, model: 'other', effort: 'high' },
    ])
    expect(ofType(events, 'notice')).toMatchObject([{ text: expect.stringContaining('wants the model first') }])
    expect(other.requests[0]).toMatchObject({ effort: 'high' })
    expect(own.requests[0]).not.toHaveProperty('effort')
    const next = await collect(session.run('again'))
    expect(ofType(next, 'model_start')[0]).toEqual(expect.not.objectContaining({ effort: 'high' }))
    expect(ofType(next, 'model_start')[0]).toMatchObject({ model: 'scripted' })
  })
})

describe('A prompt that is expanded', () => {
  it('brings context, once hooks have let it pass, with the run under way', async () => {
    const model = scripted(END)
    const { session, agent } = await setUp({ model })
    const run = session.run('/a b', {
      expand: async () => {
        const { text } = await agent.runner.run(
          { session: { id: session.id, cwd: '/', origin: 'main', permissionMode: 'default' }, prompt: 'x' },
          {},
        )
        return { context: [{ by: 'skill a', text: `The result: ${text}` }] }
      },
    })
    const events = await collect(run)
    expect(ofType(events, 'user').map(({ text }) => text)).toEqual(['/a b', 'x'])
    expect(ofType(events, 'context')).toMatchObject([{ by: 'skill a', place: 'turn' }])
    expect(session.messages[0]).toMatchObject({
      content: [{ text: '/a b' }, { text: 'The result: done' }],
    })
  })

  it.each([
    ['has a problem', async () => ({ problem: { by: 'skill a', text: 'not now' } }), 'not now'],
    ['fails', async () => Promise.reject(new Error('broken')), 'The prompt could not be made ready: broken'],
  ])('ends the run when it %s, before any model is asked', async (_, expand, text) => {
    const model = scripted(END)
    const { session } = await setUp({ model })
    const run = session.run('/a', { expand })
    const events = await collect(run)
    expect(await run.result).toMatchObject({ reason: 'blocked', turns: 0 })
    expect(ofType(events, 'notice')).toMatchObject([{ text }])
    expect(model.requests).toEqual([])
  })

  it('is not expanded when a hook refuses it', async () => {
    const interceptor = hooks({ UserPromptSubmit: () => ({ block: { by: 'h', reason: 'no' } }) })
    const { session } = await setUp({ model: scripted(END), interceptor })
    let asked = 0
    await session.run('/a', {
      expand: async () => {
        asked++
        return { context: [] }
      },
    }).result
    expect(asked).toBe(0)
  })

  it('is expanded once, in a step, also when the run is played again', async () => {
    const engine = journal()
    let asked = 0
    const expand = async () => ({ context: [{ by: 'skill a', text: `asked ${++asked} times` }] })
    const requests: ModelRequest[] = []
    for (const kill of [{ step: 'model:1', moment: 'before' }, undefined] as const) {
      const model = scripted(END)
      const { session } = await setUp({ model })
      const durable = engine.open(kill)
      const run = session.run('/a', { expand, durable })
      await Promise.race([durable.dead, run.result])
      requests.push(...model.requests)
    }
    expect(asked).toBe(1)
    expect(engine.order).toContain('expand:start')
    expect(requests[0]?.messages[0]).toMatchObject({ content: [{ text: '/a' }, { text: 'asked 1 times' }] })
  })

  it('does not outlive an abort', async () => {
    const { session } = await setUp({ model: scripted(END) })
    const controller = new AbortController()
    const run = session.run('/a', { signal: controller.signal, expand: () => new Promise(() => {}) })
    queueMicrotask(() => controller.abort())
    expect(await run.result).toMatchObject({ reason: 'aborted' })
  })
})

describe('A sub-agent for a skill', () => {
  /** A run of three turns, in the last of which somebody has a sub-agent run. */
  async function ordered(order: Partial<AgentOrder>, turns = 3, options: Partial<AgentOptions> = {}) {
    const judge = scripted({ say: 'judged' })
    let agent: Agent | undefined
    const { interceptor, join } = runnerHooks((runner, event, session) =>
      event === 'Stop' && agent ? runner.run({ session, prompt: 'judge it', model: 'judge', ...order }, {}) : undefined,
    )
    const calls = Array.from({ length: turns - 1 }, (_, index) => ({
      calls: [{ tool: 'Echo', input: { text: `${index}`.padEnd(10) } }],
    }))
    const setup = await setUp({
      model: scripted(...calls, END),
      models: (name) => (name === 'judge' ? judge : undefined),
      tools: [echoTool('Echo', { annotations: READS })],
      interceptor,
      ...options,
    })
    agent = setup.agent
    join(agent)
    const events = await collect(setup.session.run('go'))
    return { ...setup, events, messages: judge.requests[0]?.messages ?? [], judge }
  }

  it.each([
    ['none', 1],
    ['full', 6],
    ['recent', 6],
  ] as const)('sees of the conversation what was asked for: %s', async (context, count) => {
    const { messages } = await ordered({ context })
    expect(messages).toHaveLength(count)
    expect(messages.at(-1)).toMatchObject({ role: 'user', content: [{ text: 'judge it' }] })
    if (count > 1) expect(messages[0]).toMatchObject({ role: 'user', content: [{ text: 'go' }] })
  })

  it('sees 20 recent messages at most, none of them a result without its call', async () => {
    const { messages } = await ordered({ context: 'recent' }, 30)
    const shared = messages.slice(0, -1)
    expect(shared[0]).toMatchObject({ role: 'user', content: [{ text: '[What came before is left out.]' }] })
    expect(shared.length).toBeLessThanOrEqual(21)
    expect(shared[1]).toMatchObject({ role: 'assistant' })
    const calls = shared.flatMap((each) => (each.role === 'assistant' ? each.calls.map(({ id }) => id) : []))
    const results = shared.flatMap((each) => (each.role === 'tool' ? each.results.map(({ callId }) => callId) : []))
    expect(results).toEqual(calls)
  })

  it('sees 8,000 recent tokens at most, by whole messages', async () => {
    const long: Tool = {
      ...echoTool('Echo', { annotations: READS }),
      run: async () => ({ content: [{ type: 'text', text: 'x'.repeat(12_000) }], isError: false }),
    }
    const { messages } = await ordered({ context: 'recent' }, 8, { tools: [long] })
    const shared = messages.slice(0, -1)
    expect(JSON.stringify(shared).length).toBeLessThan(32_100)
    expect(shared.filter(({ role }) => role === 'tool')).toHaveLength(2)
  })

  it('works under its own terms and effort', async () => {
    const permission = gate()
    const judge = scripted(CALL, { say: 'judged' })
    const terms: readonly RunTerms[] = [{ by: 'skill a', grants: ['Echo'], restrict: ['Echo'] }]
    await ordered({ terms, effort: 'max', tools: ['*'] }, 1, { models: () => judge, gate: permission })
    expect(permission.log.map(({ options }) => options.terms)).toEqual([terms])
    expect(judge.requests.map(({ effort }) => effort)).toEqual(['max', 'max'])
  })
})

describe('A tool with a time of its own', () => {
  it('has no other limit', async () => {
    const slow: Tool = { ...echoTool(), timeoutMs: Number.POSITIVE_INFINITY }
    const { session, clock } = await setUp({ model: scripted(CALL, END), tools: [slow], limits: { toolTimeoutMs: 5 } })
    const ran = slow.run
    Object.assign(slow, {
      run: async (...args: Parameters<Tool['run']>) => {
        clock.advance(1000)
        await Promise.resolve()
        return ran(...args)
      },
    })
    await session.run('go').result
    expect(resultTexts(session)).toEqual(['echo: x'])
  })
})
