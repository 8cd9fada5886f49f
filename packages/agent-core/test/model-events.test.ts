import type { JsonObject } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../src/types.js'
import { echoTool, modelOf, nonsense, ofType, play, scripted, setUp } from './kit.js'

const meta = { signed: { by: 'model', parts: [1, 2] } }
const call: ModelEvent = { type: 'tool_call', id: 'a', name: 'Echo', input: { text: 'one' } }
const END: ModelEvent = { type: 'text', text: 'Done.' }

describe('what a model wants back', () => {
  it('stands at its message in later requests, the last of several, and nobody can change it', async () => {
    const given = structuredClone(meta)
    const model = modelOf([{ type: 'meta', meta: { old: true } }, call, { type: 'meta', meta: given }], [END])
    const { session } = await play({ model, tools: [echoTool()] })
    given.signed.by = 'somebody else'
    expect(model.requests[1]?.messages[1]).toMatchObject({ role: 'assistant', meta })
    const kept = (session.messages[1] as { readonly meta?: JsonObject }).meta
    expect(Object.isFrozen(kept?.['signed'])).toBe(true)
    expect(session.messages.at(-1)).not.toHaveProperty('meta')
  })

  it('stays with an answer that broke off', async () => {
    const model = modelOf([
      { type: 'text', text: 'Half' },
      { type: 'meta', meta },
      async () => {
        throw new Error('cut')
      },
    ])
    const { session } = await play({ model })
    expect(session.messages.at(-1)).toEqual({ role: 'assistant', text: 'Half', calls: [], meta })
  })

  it('is taken with the messages of another conversation, if it is a map', async () => {
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      { role: 'assistant', text: 'hi', calls: [], meta },
      { role: 'user', content: [{ type: 'text', text: 'on' }] },
    ] as const
    const model = scripted({ say: 'x' }, { say: 'Done.' })
    const { session } = await setUp({ model })
    await session.run(messages).result
    expect(model.requests[0]?.messages[1]).toEqual(messages[1])
    const odd = nonsense([messages[0], { ...messages[1], meta: 'text' }, messages[2]])
    expect(() => session.run(odd)).toThrow('message 2 has a `meta` that is no map')
  })
})

describe('what a model thinks', () => {
  it('is an event of the run, and no part of the answer or the conversation', async () => {
    const { events, result, session } = await play({ model: scripted({ think: 'Hm.', say: 'Done.' }) })
    expect(ofType(events, 'reasoning')).toMatchObject([{ text: 'Hm.' }])
    expect(result.text).toBe('Done.')
    expect(JSON.stringify(session.messages)).not.toContain('Hm.')
  })

  it('is not what a durable engine is told', async () => {
    const told: string[] = []
    const { session } = await setUp({ model: scripted({ think: 'Hm.', say: 'Done.' }) })
    const durable = {
      step: async <T>(_name: string, fn: () => Promise<T>): Promise<T> => JSON.parse(JSON.stringify(await fn())),
      emit: ({ type }: { readonly type: string }) => void told.push(type),
      now: () => 0,
      uuid: () => 'run',
    }
    await session.run('go', { durable }).result
    expect(told).toContain('model_end')
    expect(told).not.toContain('reasoning')
  })

  it('does not count as an answer: a model that breaks off behind it is asked again', async () => {
    const failing = scripted({ think: 'Hm.', fail: { kind: 'invalid_request', message: 'no' } })
    const { result, session } = await play({ model: failing })
    expect(result).toMatchObject({ reason: 'error', text: '' })
    expect(session.messages).toHaveLength(1)
  })
})

describe('an event that is none', () => {
  it.each<[string, object]>([
    ['a piece of text without its text', { type: 'reasoning' }],
    ['a cut by nobody knows what', { type: 'cut', by: 'knife' }],
    ['a meta that is no map', { type: 'meta', meta: 'text' }],
    ['a meta that holds a function, which is no JSON', { type: 'meta', meta: { fn: () => {} } }],
    ['a usage without numbers of tokens', { type: 'usage', inputTokens: 1, outputTokens: 1, cacheReadTokens: 'many' }],
    ['a usage without numbers of tokens', { type: 'usage', inputTokens: 1, outputTokens: 1, cacheWriteTokens: -1 }],
  ])('fails the model: %s', async (problem, event) => {
    const { result } = await play({ model: modelOf([END, nonsense(event)]) })
    expect(result.error).toEqual({ kind: 'unknown', message: `The model failed: it sent ${problem}` })
    expect(result.text).toBe('Done.')
  })
})

it('has a span that says what came from the cache', async () => {
  const set: Record<string, unknown> = {}
  const tracer = {
    start: (name: string) => ({
      set: (attributes: object) => name.startsWith('chat') && Object.assign(set, attributes),
      end: () => {},
    }),
  }
  const usage = { type: 'usage', inputTokens: 9, outputTokens: 1, cacheReadTokens: 5, cacheWriteTokens: 3 } as const
  await play({ model: modelOf([END, usage]), tracer: nonsense(tracer) })
  expect(set).toMatchObject({
    'gen_ai.usage.input_tokens': 9,
    'gen_ai.usage.cache_read.input_tokens': 5,
    'gen_ai.usage.cache_creation.input_tokens': 3,
  })
})
