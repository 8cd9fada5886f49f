import type { JsonValue, LifecycleEvent, Tool, ToolResult } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import type { Interceptor, Model, ModelEvent } from '../src/types.js'
import {
  allowed,
  authorization,
  echoTool,
  gate,
  hooks,
  modelOf,
  nonsense,
  ofType,
  type Played,
  play,
  resultTexts,
  scripted,
  settle,
  setUp,
} from './kit.js'

const CALL = { calls: [{ tool: 'Echo', input: { text: 'hi' } }] }
const END = { say: 'done' }

/** Whatever went wrong: each call has ended once, the conversation is well formed, and the run came to its natural end. */
function expectWhole({ events, session, result }: Played): void {
  const calls = ofType(events, 'tool_call').map((event) => event.tool_use_id)
  const ends = [...ofType(events, 'tool_result'), ...ofType(events, 'tool_rejected')]
  expect(ends.map((event) => event.tool_use_id)).toEqual(calls)
  expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  expect(result).toMatchObject({ reason: 'done', text: 'done' })
}

describe('hooks that answer nonsense', () => {
  const answers: readonly unknown[] = [
    'yes',
    7,
    [],
    { runs: 'none' },
    { runs: [null] },
    { context: [null] },
    { notices: [{ by: 'h' }] },
    { block: { by: 'h' } },
    { stop: true },
    { opinion: { by: 'h', behavior: 'deny' } },
    { updatedInput: { by: 'h' } },
    { answer: { by: 'h' } },
    { retry: true },
    { updatedOutput: { by: 'h' } },
    { updatedRequest: { by: 'h' } },
    { updatedResponse: { by: 'h' } },
  ]

  it.each<[LifecycleEvent]>([
    ['SessionStart'],
    ['UserPromptSubmit'],
    ['BeforeModel'],
    ['AfterModel'],
    ['PreToolUse'],
    ['PostToolUse'],
    ['PostToolBatch'],
    ['Stop'],
    ['AfterAgent'],
  ])('at %s cost their own answer only, and that is said', async (event) => {
    for (const answer of answers) {
      const interceptor: Interceptor = {
        session: () => ({ fire: (fired) => (fired === event ? nonsense(answer) : undefined) }),
      }
      const played = await play({ model: scripted(CALL, END), tools: [echoTool()], interceptor })
      expectWhole(played)
      expect(resultTexts(played.session)).toEqual(['echo: hi'])
      const notices = ofType(played.events, 'notice').map(({ text }) => text)
      const effect = event === 'PreToolUse' ? 'the call has to be asked' : 'they count as silent'
      expect([answer, notices[0]]).toEqual([
        answer,
        expect.stringContaining(`${event}: the hooks failed, so ${effect}: `),
      ])
    }
  })

  it('can not put calls without an id in the place of those of the model', async () => {
    const call = { id: '', name: 'Echo', input: { text: 'x' } }
    const echo = echoTool()
    const interceptor = hooks({ AfterModel: () => ({ updatedResponse: { by: 'h', response: { calls: [call] } } }) })
    const { session, events } = await play({ model: scripted(END), tools: [echo], interceptor })
    expect(session.messages[1]).toEqual({ role: 'assistant', text: 'done', calls: [] })
    expect(echo.ran).toEqual([])
    expect(ofType(events, 'notice')).toMatchObject([
      { by: 'h', text: expect.stringContaining('ignored: its change of the answer: `text` must be a text') },
    ])
  })
})

describe('a tool', () => {
  it.each<[keyof Tool]>([['annotations'], ['inputSchema'], ['source'], ['kind'], ['description'], ['run']])(
    'without %s is left out, which is said, and the others are there',
    async (part) => {
      const broken = echoTool('Echo', { [part]: undefined })
      const model = scripted(CALL, END)
      const played = await play({ model, tools: [broken, echoTool('Other')] })
      expectWhole(played)
      expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['Other'])
      expect(ofType(played.events, 'notice')).toMatchObject([
        { text: expect.stringContaining('The tool Echo is left out: it needs ') },
      ])
    },
  )

  const cyclic: Record<string, unknown> = {}
  cyclic['self'] = cyclic

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', 'done'],
    ['content that is no list', { content: 'done', isError: false }],
    ['a block that is none', { content: [null], isError: false }],
    ['a resource whose text is a number', { content: [{ type: 'resource', resource: { uri: 'a', text: 5 } }] }],
    ['a structure that is no JSON', { content: [], isError: false, structured: { size: 1n } }],
    ['a structure without end', { content: [], isError: false, structured: cyclic }],
  ])('that gives %s has crashed', async (_, given) => {
    const run = async (): Promise<ToolResult> => nonsense(given)
    const played = await play({ model: scripted(CALL, END), tools: [echoTool('Echo', { run })] })
    expectWhole(played)
    expect(resultTexts(played.session)[0]).toMatch(/^Echo crashed: it gave /)
  })

  it.each<[string, unknown]>([
    ['an error', new Error('broken')],
    ['nothing', undefined],
    ['a symbol', Symbol('broken')],
    ['an object without a prototype', Object.create(null)],
  ])('that throws %s has crashed', async (_, thrown) => {
    const run = async () => {
      throw thrown
    }
    const played = await play({ model: scripted(CALL, END), tools: [echoTool('Echo', { run })] })
    expectWhole(played)
    expect(resultTexts(played.session)[0]).toMatch(/^Echo crashed: /)
  })

  it.each<[string, () => unknown, string]>([
    ['20,000 levels deep', deepList, 'is nested deeper than 200 levels'],
    ['no JSON', () => 1n, 'holds a bigint, which is no JSON'],
    ['without end', () => cyclic, 'is nested deeper than 200 levels'],
  ])('is not called with an input that is %s', async (_, makePart, problem) => {
    const echo = echoTool()
    const input = { text: 'hi', part: makePart() }
    const model = modelOf([{ type: 'tool_call', id: 'a', name: 'Echo', input }], [{ type: 'text', text: 'done' }])
    const played = await play({ model, tools: [echo] })
    expectWhole(played)
    expect(resultTexts(played.session)).toEqual([`The input of Echo ${problem}.`])
    expect(echo.ran).toEqual([])
  })
})

describe('an extension', () => {
  it.each<[string, object]>([
    ['a list of nothing', { tools: () => [null] }],
    ['tools that come later', { tools: async () => [] }],
    ['tools that would come later, and fail', { tools: () => Promise.reject(new Error('offline')) }],
    ['tools that are no list', { tools: () => ({}) }],
    ['context of nothing', { context: () => [null] }],
    ['context without a place', { context: () => [{ by: 'x', text: 'y' }] }],
  ])('that brings %s costs itself only, which is said once', async (_, brought) => {
    const model = scripted(CALL, END)
    const extensions = [{ session: () => nonsense(brought) }, { session: () => ({ tools: () => [echo] }) }]
    const echo = echoTool()
    const played = await play({ model, extensions })
    expectWhole(played)
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['Echo'])
    expect(ofType(played.events, 'notice')).toHaveLength(1)
  })
})

describe('a gate', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', 'allow'],
    ['an allow without a decision', { behavior: 'allow' }],
    ['a decision without a verdict', { decision: {} }],
    ['a verdict that there is not', { ...allowed(), behavior: 'maybe' }],
    ['a new input that is none', { ...allowed(), updatedInput: 5 }],
    ['notices that are none', { ...allowed(), notices: [null] }],
    ['a deny without words', { behavior: 'deny', decision: {} }],
  ])('that answers %s has not allowed the call', async (_, answer) => {
    const echo = echoTool()
    const permission = gate(() => nonsense(answer))
    const played = await play({ model: scripted(CALL, END), tools: [echo], gate: permission })
    expectWhole(played)
    expect(echo.ran).toEqual([])
    expect(resultTexts(played.session)[0]).not.toBe('')
  })

  it('that takes too long has nothing more to say, and neither have the hooks that it asked', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const letGo = async () => {
      release()
      await settle()
    }
    const call = { type: 'tool_call', id: 'a', name: 'Echo', input: { text: 'x' } } as const
    const { session, clock } = await setUp({
      model: modelOf([call], [letGo, { type: 'text', text: 'ok' }]),
      tools: [echoTool()],
      limits: { gateTimeoutMs: 1000 },
      gate: gate(async ({ call: asked, tool, options: { contenders = [] } }) => {
        const question = { call: asked, tool, decision: authorization('deny', 'ask').decision, session: nonsense({}) }
        const { signal } = new AbortController()
        await Promise.all(contenders.map((each) => each.answer(question, { signal })))
        return allowed()
      }),
      interceptor: hooks({
        PermissionRequest: async () => {
          await released
          return { runs: [{ hook: 'late', outcome: 'decided', ms: 1 }], stop: { by: 'late', reason: 'too late' } }
        },
      }),
    })
    const run = session.run('go')
    await settle()
    clock.advance(1000)
    expect(await run.result).toMatchObject({ reason: 'done', text: 'ok' })
    const told = []
    for await (const event of run) told.push(event)
    expect(ofType(told, 'hook')).toEqual([])
  })
})

describe('a model', () => {
  it.each<[string, object]>([
    ['not a number', { inputTokens: Number.NaN, outputTokens: 1 }],
    ['without end', { inputTokens: 1, outputTokens: Number.POSITIVE_INFINITY }],
    ['less than nothing', { inputTokens: -1e9, outputTokens: 1 }],
    ['not a number of dollars', { inputTokens: 1, outputTokens: 1, costUsd: Number.NaN }],
  ])('can not turn a budget off with a usage that is %s: it has failed', async (_, usage) => {
    const event: ModelEvent = nonsense({ type: 'usage', ...usage })
    const { result } = await play({ model: modelOf([event]), limits: { maxTokens: 10, maxCostUsd: 1 } })
    expect(result).toMatchObject({
      reason: 'error',
      error: { kind: 'unknown', message: 'The model failed: it sent a usage without numbers of tokens' },
      usage: { inputTokens: 0, outputTokens: 0 },
    })
  })

  it('whose stream has sent nonsense is told that nobody listens any more', async () => {
    const told: string[] = []
    const model: Model = {
      id: 'm',
      stream: (_, { signal }) => {
        signal.addEventListener('abort', () => told.push('abort'))
        const value: ModelEvent = nonsense({ type: 'text' })
        return {
          [Symbol.asyncIterator]: () => ({
            next: async () => ({ done: false, value }),
            return: async () => {
              told.push('return')
              return { done: true, value: undefined }
            },
          }),
        }
      },
    }
    await play({ model })
    await settle()
    expect(told).toEqual(['abort', 'return'])
  })
})

function deepList(): JsonValue {
  let deep: JsonValue = 'x'
  for (let level = 0; level < 20_000; level++) deep = [deep]
  return deep
}
