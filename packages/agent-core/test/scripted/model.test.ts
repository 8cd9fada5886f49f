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
      'The model failed: The script has only 1 turns; this is turn 2.\nIt was sent:\n  result of Echo: echo: one',
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
