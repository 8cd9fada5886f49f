import { describe, expect, it } from 'vitest'
import { loadScript } from '../../src/scripted/index.js'

describe('a script', () => {
  it('is read from YAML and from JSON alike', async () => {
    const script = {
      turns: [
        { say: 'hello', calls: [{ tool: 'Echo', input: { text: 'hi' } }] },
        { when: { contains: 'hi', tool: 'Echo', isError: false }, say: 'bye', loop: true },
      ],
    }
    const yaml = `
turns:
  - say: hello
    calls:
      - {tool: Echo, input: {text: hi}}
  - when: {contains: hi, tool: Echo, isError: false}
    say: bye
    loop: true
`
    expect(await loadScript(yaml, { file: '/p/script.yaml' })).toEqual({ value: script, diagnostics: [] })
    expect(await loadScript(JSON.stringify(script), { file: '/p/script.json' })).toEqual({
      value: script,
      diagnostics: [],
    })
  })

  it.each([
    ['not YAML at all', 'turns: [', 'config.syntax.yaml', 1],
    ['no map', '- say: hello', 'schema.type', 1],
    ['without turns', 'turns: []', 'schema.value', 1],
    ['a wrong type', 'turns:\n  - say: 5\n', 'schema.type', 2],
    ['a call without its tool', 'turns:\n  - calls:\n      - input: {}\n', 'schema.required', 3],
    ['a call whose input is no map', 'turns:\n  - calls:\n      - {tool: A, input: ls}\n', 'schema.type', 3],
    ['a turn behind one that repeats', 'turns:\n  - say: a\n    loop: true\n  - say: b\n', 'script.loop.not-last', 3],
  ])('with a fault (%s) is not used, and the diagnostic has the place', async (_, text, code, line) => {
    const { value, diagnostics } = await loadScript(text, { file: '/p/s.yaml' })
    expect(value).toBeUndefined()
    expect(diagnostics).toMatchObject([{ code, severity: 'error', source: { file: '/p/s.yaml', line } }])
    expect(diagnostics[0]?.hint).toBeTruthy()
  })

  it('with a key that nobody reads is used, with a warning that names the likely one', async () => {
    const { value, diagnostics } = await loadScript('turns:\n  - say: a\ntruns: []\n', { file: '/p/s.yaml' })
    expect(value?.turns).toHaveLength(1)
    expect(diagnostics).toMatchObject([
      {
        code: 'schema.unknown-key',
        severity: 'warning',
        hint: 'Did you mean `turns`?',
        source: { line: 3, column: 1 },
      },
    ])
  })
})
