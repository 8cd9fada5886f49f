import { describe, expect, it } from 'vitest'
import { MODEL_ERROR_KINDS } from '../../src/model-error.js'
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
    ['a call without its input', 'turns:\n  - calls:\n      - {tool: A}\n', 'schema.required', 3],
    ['tokens that are no number', 'turns:\n  - usage: {inputTokens: many, outputTokens: 1}\n', 'schema.type', 2],
    ['half a usage', 'turns:\n  - usage:\n      inputTokens: 1\n', 'schema.required', 3],
    ['a failure of no known kind', 'turns:\n  - fail: {kind: tired, message: no}\n', 'schema.value', 2],
    ['a failure without a message', 'turns:\n  - fail: {kind: network}\n', 'schema.required', 2],
    ['agents of whom nobody knows when', 'turns: [{}]\nagents:\n  - turns: [{}]\n', 'schema.required', 3],
    [
      'agents that start anywhere',
      'turns: [{}]\nagents:\n  - when: {contains: ""}\n    turns: [{}]\n',
      'schema.value',
      3,
    ],
    [
      'a turn of an agent behind one that repeats',
      'turns: [{}]\nagents:\n  - when: {contains: a}\n    turns:\n      - loop: true\n      - say: b\n',
      'script.loop.not-last',
      5,
    ],
    ['a turn behind one that repeats', 'turns:\n  - say: a\n    loop: true\n  - say: b\n', 'script.loop.not-last', 3],
  ])('with a fault (%s) is not used, and the diagnostic has the place', async (_, text, code, line) => {
    const { value, diagnostics } = await loadScript(text, { file: '/p/s.yaml' })
    expect(value).toBeUndefined()
    expect(diagnostics).toMatchObject([{ code, severity: 'error', source: { file: '/p/s.yaml', line } }])
    expect(diagnostics[0]?.hint).toBeTruthy()
  })

  it('can have everything that a model can do, right and wrong', async () => {
    const script = {
      turns: MODEL_ERROR_KINDS.map((kind) => ({
        say: 'hello',
        calls: [
          { tool: 'Echo', input: '{"text": ' },
          { tool: 'Echo', input: null },
        ],
        usage: { inputTokens: 1, outputTokens: 0, costUsd: 0.5 },
        fail: { kind, message: 'no', retryAfterMs: 0 },
      })),
      agents: [{ when: { contains: 'Review' }, turns: [{ say: 'fine', loop: true }] }],
    }
    expect(await loadScript(JSON.stringify(script), { file: '/p/script.json' })).toEqual({
      value: script,
      diagnostics: [],
    })
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
