import { describe, expect, it } from 'vitest'
import { type ScriptTurn, scriptedModel } from '../../src/scripted/index.js'
import { echoTool, ofType, play, scripted, setUp } from '../kit.js'

const call = (text: string) => ({ tool: 'Echo', input: { text } })

/** What ended the run, from the notice; `undefined` for a natural end. */
async function departure(...turns: readonly ScriptTurn[]): Promise<string | undefined> {
  const failing = echoTool('Fail', {
    run: async () => ({ content: [{ type: 'text', text: 'no luck' }], isError: true }),
  })
  const { events, result } = await play({ model: scripted(...turns), tools: [echoTool(), failing] }, 'do it')
  const [notice] = ofType(events, 'notice')
  expect(result.reason).toBe(notice ? 'error' : 'done')
  return notice?.text
}

const twoCalls = { calls: [call('one'), { tool: 'Fail', input: { text: 'two' } }] }

describe('the scripted model', () => {
  it.each<NonNullable<ScriptTurn['when']>>([
    { contains: 'echo: one' },
    { contains: 'no luck' },
    { tool: 'Echo' },
    { tool: 'Fail', isError: true },
    { tool: 'Echo', isError: false },
    { isError: true },
    { contains: 'no luck', tool: 'Echo' },
  ])('goes on when %o is among the newest results', async (when) => {
    expect(await departure(twoCalls, { when, say: 'fine' })).toBeUndefined()
  })

  it.each<[NonNullable<ScriptTurn['when']>, string]>([
    [{ contains: 'three' }, 'a text that contains "three"'],
    [{ contains: 'do it' }, 'a text that contains "do it"'],
    [{ tool: 'Other' }, 'a result of Other'],
    [{ tool: 'Echo', isError: true }, 'a result of Echo that is an error'],
    [{ tool: 'Fail', isError: false }, 'a result of Fail that is no error'],
    [{ contains: 'one', tool: 'Other' }, 'a result of Other'],
  ])('fails when %o is not, and shows what was expected and what was sent', async (when, expected) => {
    expect(await departure(twoCalls, { when, say: 'fine' })).toBe(
      [
        `The model failed: Turn 2 of the script expects ${expected}.`,
        'It was sent:',
        '  result of Echo: echo: one',
        '  error of Fail: no luck',
      ].join('\n'),
    )
  })

  it('checks the prompt too', async () => {
    expect(await departure({ when: { contains: 'do it' }, say: 'ok' })).toBeUndefined()
    expect(await departure({ when: { isError: true } })).toBe(
      'The model failed: Turn 1 of the script expects a result that is an error.\nIt was sent:\n  user: do it',
    )
  })

  it('fails when the script has no turn left', async () => {
    expect(await departure({ calls: [call('one')] })).toBe(
      'The model failed: The conversation is at turn 2, and the script ends with turn 1.\nIt was sent:\n  result of Echo: echo: one',
    )
  })

  it('repeats the last turn when it says so, with its condition', async () => {
    const again = { when: { tool: 'Echo' }, calls: [call('again')], loop: true }
    const { result } = await play({
      model: scripted({ calls: [call('one')] }, again),
      tools: [echoTool()],
      limits: { maxTurns: 5 },
    })
    expect(result.reason).toBe('max_turns')
  })

  it('shows long texts from their start only', async () => {
    const { events } = await play({ model: scripted({ when: { contains: 'x' } }) }, 'y'.repeat(600))
    expect(ofType(events, 'notice')[0]?.text).toContain(`  user: ${'y'.repeat(500)}…`)
  })

  it('serves many sessions at different places of the script', async () => {
    const model = scriptedModel({ turns: [{ say: 'first' }, { say: 'second' }] }, { id: 'demo' })
    const { agent } = await setUp({ model })
    const [a, b] = [agent.session({ cwd: '/a' }), agent.session({ cwd: '/b' })]
    expect((await a.run('1').result).text).toBe('first')
    expect((await a.run('2').result).text).toBe('second')
    expect((await b.run('1').result).text).toBe('first')
    expect(model.id).toBe('demo')
  })
})

describe('what a model can do wrong', () => {
  it.each([
    ['a text', '{"text": "hi'],
    ['a list', ['hi']],
    ['nothing', null],
    ['a number', 7],
  ])('can be scripted: a call whose input is %s', async (_, input) => {
    const { events, result } = await play({
      model: scripted({ calls: [{ tool: 'Echo', input }] }, { when: { tool: 'Echo', isError: true }, say: 'I see.' }),
      tools: [echoTool()],
    })
    expect(ofType(events, 'tool_rejected')[0]?.reason).toContain('must be an object')
    expect(result).toMatchObject({ reason: 'done', text: 'I see.' })
  })

  it('can be scripted: a tool that does not exist', async () => {
    const model = scripted(
      { calls: [{ tool: 'Ecko', input: {} }] },
      { when: { contains: 'Echo', isError: true }, say: 'Ah.' },
    )
    expect((await play({ model, tools: [echoTool()] })).result.text).toBe('Ah.')
  })

  it('can be scripted: 50 calls in one turn', async () => {
    const calls = Array.from({ length: 50 }, (_, index) => call(String(index)))
    const echo = echoTool()
    const { events } = await play({ model: scripted({ calls }, { when: { contains: 'echo: 49' } }), tools: [echo] })
    expect(echo.ran).toHaveLength(50)
    expect(new Set(ofType(events, 'tool_call').map(({ tool_use_id }) => tool_use_id)).size).toBe(50)
  })

  it('can be scripted: an answer of nothing', async () => {
    expect((await play({ model: scripted({}) })).result).toMatchObject({ reason: 'done', text: '', turns: 1 })
  })

  it('can be scripted: a stream that breaks off, with what it had said', async () => {
    const cut = { say: 'half a sen', calls: [call('one')], fail: { kind: 'network', message: 'cut off' } } as const
    const { session, events, result } = await play({ model: scripted(cut), tools: [echoTool()] })
    expect(result).toMatchObject({ reason: 'error', text: 'half a sen' })
    expect(ofType(events, 'notice').at(-1)?.text).toContain('cut off')
    expect(session.messages[1]).toMatchObject({ role: 'assistant', text: 'half a sen' })
  })

  it('can be scripted: a failure before a word, which comes again with every repetition', async () => {
    const model = scripted({ fail: { kind: 'overloaded', message: 'busy', retryAfterMs: 5 } })
    const { result } = await play({ model, limits: { modelRetries: 0 } })
    expect(result).toMatchObject({ reason: 'error', text: '' })
    const heard = model.stream({ system: '', messages: [], tools: [] }, { signal: new AbortController().signal })
    await expect(heard[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'agent-core.model.overloaded',
      message: 'busy',
      retryAfterMs: 5,
    })
  })

  it('says what it took, when the script does', async () => {
    const usage = { inputTokens: 120, outputTokens: 8, costUsd: 0.25 }
    const { result } = await play({ model: scripted({ calls: [call('a')], usage }, { usage }), tools: [echoTool()] })
    expect(result).toMatchObject({ usage: { inputTokens: 240, outputTokens: 16 }, costUsd: 0.5 })
  })
})

describe('a script of sub-agents', () => {
  const reviewer = { name: 'reviewer', description: 'Reviews.', prompt: 'You review.' }
  const order = (prompt: string, context: string) => ({ tool: 'agent', input: { type: 'reviewer', prompt, context } })

  it.each(['none', 'recent', 'full'])(
    'plays each in its own place, whatever it sees of the conversation that starts it (%s)',
    async (context) => {
      const model = scriptedModel({
        turns: [
          { calls: [call('before')] },
          {
            when: { tool: 'Echo' },
            calls: [order('Look at the diff.', context), order('Look at the tests.', context)],
          },
          { when: { tool: 'agent', contains: 'The diff is fine.', isError: false }, say: 'All reviewed.' },
        ],
        agents: [
          {
            when: { contains: 'the diff' },
            turns: [{ calls: [call('diff')] }, { when: { contains: 'echo: diff' }, say: 'The diff is fine.' }],
          },
          { when: { contains: 'the tests' }, turns: [{ calls: [call('tests')] }, { say: 'So are the tests.' }] },
        ],
      })
      const { events, result } = await play({ model, agents: [reviewer], tools: [echoTool()] }, 'review it all')
      expect(result).toMatchObject({ reason: 'done', text: 'All reviewed.' })
      expect(ofType(events, 'agent_end').map(({ text }) => text)).toEqual(['The diff is fine.', 'So are the tests.'])
      const ids = ofType(events, 'tool_call').map(({ tool_use_id }) => tool_use_id)
      expect(new Set(ids).size).toBe(ids.length)
    },
  )

  it('says which of them the conversation departs from', async () => {
    const model = scriptedModel({
      turns: [{ calls: [order('Look at the diff.', 'none')] }, { say: 'Well.' }],
      agents: [
        { when: { contains: 'nobody' }, turns: [{}] },
        { when: { contains: 'the diff' }, turns: [{ when: { contains: 'a patch' } }] },
      ],
    })
    const { session } = await play({ model, agents: [reviewer] })
    expect(session.messages[2]).toMatchObject({
      results: [
        { isError: true, content: [{ text: expect.stringContaining('Turn 1 of script 2 of `agents` expects') }] },
      ],
    })
  })
})
