import { describe, expect, test } from 'vitest'
import { toolName } from '../../src/index.js'
import { hostile, settled, textOf } from '../helpers.js'

describe('prompts', () => {
  test('are listed with their arguments and a name of their own; what is none is said', async () => {
    const made = await settled({ s: hostile('library'), plain: hostile('echo') })
    const { items, problems } = await made.prompts.list()
    expect(items).toEqual([
      {
        server: 's',
        name: 'greet',
        fullName: 'mcp__s__greet',
        description: 'Greets somebody.',
        arguments: [
          { name: 'who', description: 'Whom.', required: true },
          { name: 'how', required: false },
        ],
      },
      { server: 's', name: 'odd name!', fullName: toolName('s', 'odd name!'), arguments: [] },
    ])
    expect(problems).toHaveLength(1)
  })

  test('are filled in', async () => {
    const made = await settled({ s: hostile('library') })
    expect(await made.prompts.get('s', 'greet', { who: 'Ada', how: 'good day' })).toEqual({
      description: 'A greeting.',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Say good day to Ada.' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'To whom?' }] },
        { role: 'user', content: [{ type: 'resource', resource: { uri: 'file:///who', text: 'Ada' } }] },
      ],
    })
  })

  test('that are too large are cut, all messages together', async () => {
    const made = await settled({ s: { ...hostile('library'), limits: { maxResult: '64KiB' } } })
    const prompt = await made.prompts.get('s', 'greet', { who: 'Ada', bytes: '100000' })
    if (prompt.failed) throw new Error(textOf(prompt.failed))
    expect(JSON.stringify(prompt).length).toBeLessThan(66_000)
    expect(textOf({ content: prompt.messages[0]?.content ?? [], isError: false })).toContain(
      'this text has 100000 bytes',
    )
    expect(prompt.messages).toHaveLength(3)
  })

  test('that can not be had say why', async () => {
    const made = await settled({ s: hostile('library'), plain: hostile('echo') })
    const why = async (...asked: Parameters<typeof made.prompts.get>) => {
      const { failed } = await made.prompts.get(...asked)
      return failed && textOf(failed)
    }
    expect(await why('s', 'greet')).toContain('who is missing. Check the name of the prompt and its arguments')
    expect(await why('plain', 'greet')).toContain('The server `plain` has no prompts.')
    expect(await why('x', 'greet')).toContain('There is no server `x`.')
  })
})

describe('completions', () => {
  test('are at most a hundred texts', async () => {
    const made = await settled({ s: hostile('library') })
    const ofPrompt = await made.prompts.complete('s', 'greet', { name: 'who', value: 'a' }, { filled: { how: 'x' } })
    expect(ofPrompt).toMatchObject({ total: 150, hasMore: true })
    expect([ofPrompt.values.length, ofPrompt.values[0]]).toEqual([100, 'a0'])
    const ofTemplate = await made.resources.complete('s', 'big:///{bytes}', { name: 'bytes', value: '1' })
    expect(ofTemplate.values[9]).toBe('19')
  })

  test('of a server that has none are none, and it is not asked', async () => {
    const made = await settled({ s: hostile('echo') })
    expect(await made.prompts.complete('s', 'greet', { name: 'who', value: '' })).toEqual({
      values: [],
      hasMore: false,
    })
    const { failed } = await made.resources.complete('x', 'a', { name: 'b', value: '' })
    expect(failed && textOf(failed)).toContain('There is no server `x`.')
  })
})
