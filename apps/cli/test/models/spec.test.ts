import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { relativeOf } from '../../src/models/names.js'
import { describeSpec, type ModelSpec, parseSpec } from '../../src/models/spec.js'

const RUNS = { seed: 20261130, numRuns: 500 }
const word = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}$/)
const id = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('/'))
const base = fc.tuple(
  fc.constantFrom('http', 'https'),
  fc.domain(),
  fc.constantFrom('', ':8080'),
  fc.constantFrom('', '/api', '/a/b'),
)

describe('a model as a text', () => {
  it('is the same when it is read and written again', () => {
    const own = fc.tuple(fc.constantFrom('anthropic', 'openai'), id).map((parts) => parts.join('/'))
    const elsewhere = fc
      .tuple(base, id)
      .map(([[scheme, host, port, path], name]) => `openai-compatible:${scheme}://${host}${port}${path}/v1/${name}`)
    fc.assert(
      fc.property(
        fc.oneof(
          own,
          elsewhere,
          word.map((file) => `scripted:${file}`),
        ),
        (text) => {
          const parsed = parseSpec(text, '/srv')
          expect('spec' in parsed && describeSpec(parsed.spec)).toBe(text)
        },
      ),
      RUNS,
    )
  })

  it('is a model, a name, or a problem with a way out, whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.webUrl()), (text) => {
        const parsed = parseSpec(text, '/srv')
        if ('problem' in parsed) expect([parsed.problem, parsed.hint].every((each) => each !== '')).toBe(true)
        else if ('name' in parsed) expect(parsed.name).toBe(text)
        else expect(describeSpec(parsed.spec)).toBe(text)
      }),
      RUNS,
    )
  })

  it.each([
    ['openai-compatible:http://h/v1/a/b/c', { baseURL: 'http://h/v1', id: 'a/b/c' }],
    ['openai-compatible:https://h/api/v3/a', { baseURL: 'https://h/api/v3', id: 'a' }],
    ['openai-compatible:http://h:1/openai/a', { baseURL: 'http://h:1/openai', id: 'a' }],
    ['openai/ft:gpt-5.2:org', { provider: 'openai', id: 'ft:gpt-5.2:org' }],
  ])('%s begins its id in the right place', (text, spec) => {
    expect(parseSpec(text, '/srv')).toMatchObject({ spec })
  })

  it.each([
    'openai-compatible:http://h/v1/',
    'openai-compatible:ftp://h/v1/m',
    'openai-compatible:http://u:p@h/v1/m',
    'openai-compatible:http://h?key=x/v1/m',
  ])('%s is none', (text) => {
    expect(parseSpec(text, '/srv')).toHaveProperty('problem')
  })
})

describe('a name in a file of the project', () => {
  const sonnet = {
    provider: 'anthropic',
    id: 'claude-sonnet-5-5',
    baseURL: 'https://gateway/v1',
    apiKeyEnv: 'K',
  } as const

  it.each([
    ['opus', 'claude-opus-5-5'],
    ['Haiku', 'claude-haiku-5-5'],
    ['claude-x', 'claude-x'],
    ['anthropic/claude-x', 'claude-x'],
  ])('%s keeps the way and the key of the run', (name, id) => {
    expect(relativeOf(sonnet, name, '/p')).toEqual({ ...sonnet, id })
  })

  it('of a scripted model is another script, from the folder of the project', () => {
    const main = { provider: 'scripted', file: '/p/s', written: 's' } as const
    const script = { provider: 'scripted', file: '/p/other.yaml', written: 'scripted:other.yaml' }
    expect(relativeOf(main, 'scripted:other.yaml', '/p')).toEqual(script)
    expect(relativeOf(main, 'opus', '/p')).toBeUndefined()
  })

  it('never leads to another provider or address', () => {
    const names = fc.oneof(
      fc.string(),
      fc.constantFrom('openai/gpt', 'gpt-5', 'openai-compatible:http://evil/v1/x', 'anthropic:x'),
      fc.webUrl(),
    )
    fc.assert(
      fc.property(names, (name) => {
        const found: ModelSpec = relativeOf(sonnet, name, '/p') ?? sonnet
        const { id: _, ...way } = { id: '', ...found }
        expect(way).toEqual({ provider: 'anthropic', baseURL: 'https://gateway/v1', apiKeyEnv: 'K' })
        expect(relativeOf({ provider: 'scripted', file: '/s', written: 's' }, name, '/p')).toBeUndefined()
      }),
      RUNS,
    )
  })
})
