import type { LanguageModelV3, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { type AiSdkOptions, aiSdkModel } from '../../src/ai-sdk/index.js'
import type { Message, ModelEvent } from '../../src/types.js'
import { collect, echoTool, hooks, ofType, play, resultTexts } from '../kit.js'
import { provided, scriptServer, serve, streamOf, WIRES, type WireName } from './server.js'

const { signal } = new AbortController()
const asked = {
  system: '',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
} as const

const start = (usage: object = { input_tokens: 1, output_tokens: 1 }) => ({
  type: 'message_start',
  message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage },
})
const block = (index: number, content: object, deltas: readonly object[], stop = true) => [
  { type: 'content_block_start', index, content_block: content },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  ...(stop ? [{ type: 'content_block_stop', index }] : []),
]
const said = (text: string, stop = true) => block(0, { type: 'text', text: '' }, [{ type: 'text_delta', text }], stop)
const called = (index: number, json: readonly string[], stop = true) =>
  block(
    index,
    { type: 'tool_use', id: `toolu_${index}`, name: 'Echo', input: {} },
    json.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    stop,
  )
const ended = (stop_reason: string, usage: object = { output_tokens: 5 }) => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
  { type: 'message_stop' },
]

const chunk = (delta: object, finish: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: finish }],
})
const openaiCall = (index: number, json: readonly string[]) => [
  chunk({ tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name: 'Echo', arguments: '' } }] }),
  ...json.map((text) => chunk({ tool_calls: [{ index, function: { arguments: text } }] })),
]

/** Pieces of the same answers in both formats: a text, a whole call, half a call. */
const pieces: Record<
  WireName,
  { text: object[]; whole: object[]; half: object[]; end: (reason: 'length' | 'calls') => object[] }
> = {
  anthropic: {
    text: [start(), ...said('Half a sen')],
    whole: called(1, ['{"text": ', '"one"}']),
    half: called(2, ['{"text": "rm -rf /', 'tmp'], false),
    end: (reason) => ended(reason === 'length' ? 'max_tokens' : 'tool_use'),
  },
  openai: {
    text: [chunk({ role: 'assistant', content: 'Half a sen' })],
    whole: openaiCall(0, ['{"text": ', '"one"}']),
    half: openaiCall(1, ['{"text": "rm -rf /', 'tmp']),
    end: (reason) => [chunk({}, reason === 'length' ? 'length' : 'tool_calls'), 'data: [DONE]\n\n' as never],
  },
}

async function modelOf(wire: WireName, frames: readonly unknown[], end?: 'end' | 'break', options?: AiSdkOptions) {
  return aiSdkModel(provided(wire, await serve(streamOf(frames, end))), options)
}

async function events(wire: WireName, frames: readonly unknown[], options?: AiSdkOptions): Promise<ModelEvent[]> {
  return collect((await modelOf(wire, frames, 'end', options)).stream(asked, { signal }))
}

describe.each(WIRES)('an answer that breaks off: %s', (wire) => {
  const { text, whole, half } = pieces[wire]

  it.each(['end', 'break'] as const)('keeps its text when it stops in the middle of it: %s', async (end) => {
    const { result, session } = await play({ model: await modelOf(wire, text, end) })
    expect(result).toMatchObject({ reason: 'error', error: { kind: 'network' }, text: 'Half a sen' })
    expect(session.messages.at(-1)).toMatchObject({ role: 'assistant', text: 'Half a sen', calls: [] })
  })

  it.each(['end', 'break'] as const)('runs no call, and has none that is only half there: %s', async (end) => {
    const echo = echoTool()
    const { result, session, events } = await play({
      model: await modelOf(wire, [...text, ...whole, ...half], end),
      tools: [echo],
    })
    expect(result).toMatchObject({ reason: 'error', error: { kind: 'network' }, text: 'Half a sen' })
    expect(echo.ran).toEqual([])
    const calls = ofType(events, 'tool_call')
    // A connection that breaks can take a whole call with it that waited for its answer to end.
    if (end === 'end') expect(calls).toHaveLength(1)
    else expect(calls.length).toBeLessThanOrEqual(1)
    expect(JSON.stringify(session.messages)).not.toContain('rm -rf')
    if (calls.length === 1) expect(resultTexts(session)).toEqual(['Not run: the answer of the model broke off.'])
  })

  it('has no call that broke off in front of its input', async () => {
    const nameless = wire === 'anthropic' ? called(2, [], false) : openaiCall(1, [])
    const { result, events } = await play({ model: await modelOf(wire, [...text, ...nameless]) })
    expect(result).toMatchObject({ reason: 'error', error: { kind: 'network' } })
    expect(ofType(events, 'tool_call')).toEqual([])
  })

  it('is asked for again when nothing had come', async () => {
    const { result } = await play({ model: await modelOf(wire, []), limits: { modelRetries: 0 } })
    expect(result).toMatchObject({ reason: 'error', error: { kind: 'network' } })
  })

  it('may break off in the middle of a line', async () => {
    const { result } = await play({ model: await modelOf(wire, [...text, 'data: {"type": "content_bl']) })
    expect(result).toMatchObject({ reason: 'error', error: { kind: 'network' }, text: 'Half a sen' })
  })

  it('may hold what is no event', async () => {
    const { result } = await play({ model: await modelOf(wire, [...text, 'data: {no json}\n\n']) })
    expect(result).toMatchObject({ reason: 'error', error: { kind: 'network' }, text: 'Half a sen' })
  })
})

describe.each(WIRES)('a call with an input that is no JSON: %s', (wire) => {
  const { text, half, end } = pieces[wire]
  const broken = wire === 'anthropic' ? [...half, { type: 'content_block_stop', index: 2 }] : half

  it('is rejected with a message to the model, and the conversation goes on', async () => {
    const echo = echoTool()
    const model = await modelOf(wire, [...text, ...broken, ...end('calls')])
    const { session } = await play({ model, tools: [echo], limits: { maxTurns: 2 } })
    expect(echo.ran).toEqual([])
    expect(resultTexts(session)[0]).toMatch(/^The input of Echo must be an object; it is /)
  })

  it('at the limit of output tokens is said to be cut', async () => {
    const model = await modelOf(wire, [...text, ...broken, ...end('length')])
    const { events } = await play({ model, tools: [echoTool()], limits: { maxTurns: 1 } })
    expect(ofType(events, 'model_end')).toMatchObject([{ cut: 'length' }])
    expect(ofType(events, 'notice').map(({ text }) => text)).toContain(
      'The answer of the model ends at its limit of output tokens, so the end of it is missing.',
    )
    expect(ofType(events, 'tool_rejected')).toHaveLength(1)
  })
})

describe('the end of an answer', () => {
  it.each<[WireName, readonly unknown[]]>([
    ['anthropic', [start(), ...said('No'), ...ended('refusal')]],
    ['openai', [chunk({ content: 'No' }), chunk({}, 'content_filter')]],
  ])('may be a filter of the provider: %s', async (wire, frames) => {
    const { events, result } = await play({ model: await modelOf(wire, frames) })
    expect(ofType(events, 'model_end')).toMatchObject([{ cut: 'filter' }])
    expect(ofType(events, 'notice')).toMatchObject([
      { text: 'A filter of the provider has cut off the answer of the model.' },
    ])
    expect(result).toMatchObject({ reason: 'done', text: 'No' })
  })

  it.each<[WireName, readonly unknown[]]>([
    ['anthropic', [start(), ...called(0, []), ...ended('tool_use')]],
    ['openai', [...openaiCall(0, []), chunk({}, 'tool_calls')]],
  ])('may be a call without an input, which is an empty one: %s', async (wire, frames) => {
    expect(ofEvents(await events(wire, frames), 'tool_call')).toMatchObject([{ name: 'Echo', input: {} }])
  })

  it('comes with its tokens, and those of the cache: anthropic', async () => {
    const usage = { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 900, cache_creation_input_tokens: 90 }
    const { events, result } = await play({
      model: await modelOf('anthropic', [start(usage), ...said('Hi'), ...ended('end_turn', { output_tokens: 7 })]),
    })
    expect(ofType(events, 'model_end')).toMatchObject([
      { input_tokens: 1000, output_tokens: 7, cache_read_tokens: 900, cache_write_tokens: 90 },
    ])
    expect(result.usage).toEqual({ inputTokens: 1000, outputTokens: 7 })
  })

  it('comes with its tokens, and those of the cache: openai', async () => {
    const usage = { prompt_tokens: 1000, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 900 } }
    const all = await events('openai', [chunk({ content: 'Hi' }), chunk({}, 'stop'), { id: 'c', choices: [], usage }])
    expect(ofEvents(all, 'usage')).toEqual([
      { type: 'usage', inputTokens: 1000, outputTokens: 7, cacheReadTokens: 900 },
    ])
  })
})

describe('what a model thinks', () => {
  const script = {
    turns: [
      { think: 'I should echo.', say: 'Right.', calls: [{ tool: 'Echo', input: { text: 'one' } }] },
      { think: 'Once more.', calls: [{ tool: 'Echo', input: { text: 'two' } }] },
      { say: 'Done.' },
    ],
  }

  it('is told as it comes, and is no part of the answer', async () => {
    const { model } = await scriptServer(script, 'openai')
    const { events, result } = await play({ model: aiSdkModel(model), tools: [echoTool()] })
    const thoughts = ofType(events, 'reasoning').map(({ text }) => text)
    expect(thoughts.length).toBeGreaterThan(2)
    expect(thoughts.join('')).toBe('I should echo.Once more.')
    expect(result.text).toBe('Done.')
  })

  it('is handed back in its place, with its signature: anthropic', async () => {
    const { model, requests } = await scriptServer(script, 'anthropic')
    const { result, session } = await play({ model: aiSdkModel(model), tools: [echoTool()] })
    expect(result).toMatchObject({ reason: 'done', text: 'Done.' })
    const messages = requests[2]?.body['messages'] as { content: object[] }[]
    expect(messages[1]?.content).toMatchObject([
      { type: 'thinking', thinking: 'I should echo.', signature: expect.stringMatching(/^signed:/) },
      { type: 'text', text: 'Right.' },
      { type: 'tool_use' },
    ])
    expect(messages[3]?.content).toMatchObject([{ type: 'thinking', thinking: 'Once more.' }, { type: 'tool_use' }])
    expect(session.messages.filter((message) => 'meta' in message)).toHaveLength(2)
  })

  it('is needed: without it the provider refuses the next request', async () => {
    const { model } = await scriptServer(script, 'anthropic')
    const { result } = await play({ model: aiSdkModel(model, { keepReasoning: false }), tools: [echoTool()] })
    expect(result.error).toMatchObject({
      kind: 'invalid_request',
      message: expect.stringContaining('Expected `thinking`, but found `text`'),
    })
  })

  it('is handed back as reasoning_content: openai', async () => {
    const { model, requests } = await scriptServer(script, 'openai')
    await play({ model: aiSdkModel(model), tools: [echoTool()] })
    const messages = requests[1]?.body['messages'] as object[]
    expect(messages.at(-2)).toMatchObject({ role: 'assistant', content: 'Right.', reasoning_content: 'I should echo.' })
  })

  it('survives a session that was written down and read again', async () => {
    const { model, requests } = await scriptServer(script, 'anthropic')
    const first = await play({ model: aiSdkModel(model), tools: [echoTool()], limits: { maxTurns: 1 } })
    const messages = JSON.parse(JSON.stringify(first.session.messages)) as Message[]
    const { agent } = await play({ model: aiSdkModel(model), tools: [echoTool()], limits: { maxTurns: 1 } })
    const resumed = agent.session({ cwd: '/srv' }).run(messages)
    await resumed.result
    const sent = requests.at(-1)?.body['messages'] as { content: object[] }[]
    expect(sent[1]?.content[0]).toMatchObject({ type: 'thinking', signature: expect.any(String) })
  })

  it('is nothing that another model is handed', async () => {
    const thought = await play({
      model: aiSdkModel((await scriptServer(script, 'anthropic')).model),
      tools: [echoTool()],
      limits: { maxTurns: 1 },
    })
    const other = await scriptServer({ turns: [{ say: 'x' }, { say: 'ok' }] }, 'openai')
    await collect(aiSdkModel(other.model).stream({ ...asked, messages: thought.session.messages }, { signal }))
    expect(JSON.stringify(other.requests[0]?.body)).not.toContain('I should echo')
  })

  it('stays, where a hook has changed the words behind it, if it stands for itself', async () => {
    const { model, requests } = await scriptServer(script, 'anthropic')
    const interceptor = hooks({
      AfterModel: () => ({ updatedResponse: { by: 'editor', response: { text: 'Changed.' } } }),
    })
    const { result } = await play({ model: aiSdkModel(model), tools: [echoTool()], interceptor })
    expect(result.reason).toBe('done')
    const messages = requests[1]?.body['messages'] as { content: object[] }[]
    expect(messages[1]?.content).toMatchObject([
      { type: 'thinking' },
      { type: 'text', text: 'Changed.' },
      { type: 'tool_use' },
    ])
  })

  it('may be hidden, and is handed back all the same: anthropic', async () => {
    const redacted = block(0, { type: 'redacted_thinking', data: 'sealed' }, [])
    const frames = [start(), ...redacted, ...called(1, ['{"text":"x"}']), ...ended('tool_use')]
    const { session } = await play({
      model: await modelOf('anthropic', frames),
      tools: [echoTool()],
      limits: { maxTurns: 1 },
    })
    const other = await scriptServer({ turns: [{ say: 'x' }, { say: 'ok' }] }, 'anthropic')
    await collect(aiSdkModel(other.model).stream({ ...asked, messages: session.messages }, { signal }))
    const sent = other.requests[0]?.body['messages'] as { content: object[] }[]
    expect(sent[1]?.content[0]).toEqual({ type: 'redacted_thinking', data: 'sealed' })
  })

  it('is left out where it broke off, since half of it has no signature', async () => {
    const frames = [
      start(),
      ...block(0, { type: 'thinking', thinking: '' }, [{ type: 'thinking_delta', thinking: 'I sh' }], false),
    ]
    const model = await modelOf('anthropic', [...frames])
    const { session, result } = await play({ model, limits: { modelRetries: 0 } })
    expect(result).toMatchObject({ reason: 'error', error: { kind: 'network' } })
    expect(session.messages.some((message) => 'meta' in message)).toBe(false)
  })
})

describe('a warning of the provider', () => {
  const fake = (parts: readonly LanguageModelV3StreamPart[]): LanguageModelV3 => ({
    specificationVersion: 'v3',
    provider: 'fake.chat',
    modelId: 'm1',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not asked')),
    doStream: async () => ({ stream: ReadableStream.from(parts) as ReadableStream<LanguageModelV3StreamPart> }),
  })
  const finish: LanguageModelV3StreamPart = {
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: {
      inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    },
  }

  it('is told once, and so is what is left out of an answer', async () => {
    const warnings: string[] = []
    const model = aiSdkModel(
      fake([
        {
          type: 'stream-start',
          warnings: [
            { type: 'unsupported', feature: 'temperature', details: 'It thinks.' },
            { type: 'other', message: 'As you like.' },
          ],
        },
        { type: 'file', mediaType: 'image/png', data: 'AAAA' },
        finish,
      ]),
      { onWarning: (text) => warnings.push(text) },
    )
    expect(await collect(model.stream(asked, { signal }))).toEqual([])
    expect(await collect(model.stream(asked, { signal }))).toEqual([])
    expect(warnings).toEqual([
      'The provider does not fully support `temperature`. It thinks.',
      'As you like.',
      'The model has sent a part of the kind file, which is left out.',
    ])
  })

  it('is no reason to say that nothing was used', async () => {
    expect(await collect(aiSdkModel(fake([finish])).stream(asked, { signal }))).toEqual([])
  })

  it('is not what an error without words is', async () => {
    const model = aiSdkModel(fake([{ ...finish, finishReason: { unified: 'error', raw: 'boom' } }]))
    await expect(collect(model.stream(asked, { signal }))).rejects.toMatchObject({
      kind: 'unknown',
      message: 'The model ended its answer with an error: boom.',
    })
  })
})

function ofEvents<T extends ModelEvent['type']>(all: readonly ModelEvent[], type: T) {
  return all.filter((event): event is Extract<ModelEvent, { type: T }> => event.type === type)
}
