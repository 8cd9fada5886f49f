import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider'
import type { Message } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import { type AiSdkOptions, aiSdkModel } from '../../src/ai-sdk/index.js'
import type { ModelRequest } from '../../src/types.js'
import { collect, nonsense } from '../kit.js'
import { scriptServer, WIRES, type WireName } from './server.js'

const PNG = 'iVBORw0KGgo='
const { signal } = new AbortController()

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] })
const request = (messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: 'You help.',
  tools: [],
  messages,
  ...more,
})

/** The body that reaches the provider. */
async function sent(wire: WireName, asked: ModelRequest, options: AiSdkOptions = {}) {
  const { model, requests } = await scriptServer({ turns: [{ say: 'ok', loop: true }] }, wire)
  await collect(aiSdkModel(model, options).stream(asked, { signal }))
  return requests[0]?.body as Record<string, never>
}

/** A conversation with one call and its result. */
function withResult(content: readonly (typeof text | typeof image)[], isError = false, id = 'call_1'): Message[] {
  return [
    user('go'),
    { role: 'assistant', text: '', calls: [{ id, name: 'Look', input: { at: 1 } }] },
    { role: 'tool', results: [{ callId: id, name: 'Look', isError, content }] },
  ]
}

const text = { type: 'text', text: 'seen' } as const
const image = { type: 'image', data: PNG, mimeType: 'image/png' } as const

const tool = {
  name: 'deep',
  description: 'A deep schema.',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      one: { anyOf: [{ type: 'string', pattern: '^a+$' }, { type: 'null' }], default: null },
      two: { $ref: '#/$defs/two' },
      three: { type: 'array', prefixItems: [{ const: 1 }], items: false },
    },
    $defs: { two: { type: 'integer', exclusiveMinimum: 0, 'x-own': { kept: true } } },
    required: ['one'],
    additionalProperties: false,
  },
}

describe('what reaches the provider', () => {
  it('is the system prompt, the tools with their schemas to the letter, and the conversation: anthropic', async () => {
    const body = await sent('anthropic', request(withResult([text], true), { tools: [tool], maxOutputTokens: 77 }))
    expect(body).toMatchObject({
      model: 'test-model',
      max_tokens: 77,
      system: [{ type: 'text', text: 'You help.' }],
      tool_choice: { type: 'auto' },
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'go' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'Look', input: { at: 1 } }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'seen', is_error: true }],
        },
      ],
    })
    const [given] = body['tools'] as unknown as [object]
    expect(given).toMatchObject({ name: 'deep', description: tool.description })
    expect(given).toHaveProperty('input_schema', tool.inputSchema)
  })

  it('is the system prompt, the tools with their schemas to the letter, and the conversation: openai', async () => {
    const body = await sent('openai', request(withResult([text], true), { tools: [tool], maxOutputTokens: 77 }))
    expect(body).toMatchObject({
      model: 'test-model',
      max_tokens: 77,
      stream: true,
      tool_choice: 'auto',
      messages: [
        { role: 'system', content: 'You help.' },
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'Look', arguments: '{"at":1}' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: '[error] seen' },
      ],
    })
    expect(body['tools']).toEqual([
      { type: 'function', function: { name: 'deep', description: tool.description, parameters: tool.inputSchema } },
    ])
  })

  it.each(WIRES)('is no system prompt where there is none, and no tools where there are none: %s', async (wire) => {
    const body = await sent(wire, request([user('go')], { system: '' }))
    expect(body).not.toHaveProperty('system')
    expect(body).not.toHaveProperty('tools')
    expect(body).not.toHaveProperty('tool_choice')
    expect(JSON.stringify(body)).not.toContain('"role":"system"')
  })

  it.each(WIRES)('holds nothing for which the provider would refuse the whole conversation: %s', async (wire) => {
    const body = await sent(
      wire,
      request([
        { role: 'user', content: [] },
        { role: 'assistant', text: ' \n', calls: [] },
        user('  '),
        {
          role: 'assistant',
          text: 'Cut in a character \uD83C',
          calls: [
            { id: 'call_1~2', name: 'no.such tool/ü', input: {} },
            { id: 'call_1_2', name: '', input: {} },
            { id: '', name: 'x'.repeat(300), input: {} },
          ],
        },
        {
          role: 'tool',
          results: ['call_1~2', 'call_1_2', ''].map((callId) => ({ callId, name: 'x', isError: false, content: [] })),
        },
      ]),
    )
    const whole = JSON.stringify(body)
    expect(whole).not.toMatch(/\\ud83c/i)
    expect(whole).toContain('Cut in a character \uFFFD')
    expect(whole.match(/"(?:tool_use_id|tool_call_id)":"[^"]*"/g)?.map((pair) => pair.split('"')[3])).toEqual([
      'call_1_2_2',
      'call_1_2',
      'call',
    ])
    expect(whole).toContain('"no_such_tool__"')
    expect(whole).toContain('"unnamed"')
    expect(whole).toContain(`"${'x'.repeat(64)}"`)
    expect(whole).toContain('(no output)')
  })

  it('holds images where the model takes them, and says what is left out where not', async () => {
    const sound = { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' } as const
    const asked = request([{ role: 'user', content: [image, sound] }])
    expect((await sent('anthropic', asked))['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
          expect.objectContaining({
            text: '[left out: a sound (audio/wav, 8 bytes in base64); this model takes none]',
          }),
        ],
      },
    ])
    const unknown = await sent('openai', asked)
    expect(JSON.stringify(unknown)).toContain('an image (image/png, 12 bytes in base64); this model takes none')
    const both = await sent('openai', asked, { limits: { images: true, audio: true } })
    expect(both['messages']?.[1]).toEqual({
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
        { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
      ],
    })
  })

  it('holds resources and links as texts', async () => {
    const content = [
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'of a' } },
      { type: 'resource_link', uri: 'https://b', name: 'b', description: 'about b' },
      { type: 'resource', resource: { uri: 'file:///c.bin', blob: 'AAAA', mimeType: 'application/x' } },
    ] as const
    const body = await sent('openai', request([{ role: 'user', content }]))
    expect(body['messages']?.[1]?.['content']).toEqual([
      { type: 'text', text: 'file:///a.txt\nof a' },
      { type: 'text', text: 'b: https://b\nabout b' },
      { type: 'text', text: '[left out: file:///c.bin, application/x of 4 bytes in base64]' },
    ])
  })

  it('holds the image of a result in the result: anthropic', async () => {
    const body = await sent('anthropic', request(withResult([text, image])))
    expect(body['messages']?.[2]).toMatchObject({
      content: [
        {
          type: 'tool_result',
          content: [
            { type: 'text', text: 'seen' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
          ],
        },
      ],
    })
  })

  it('keeps an error an error, with its image behind it: anthropic', async () => {
    const body = await sent('anthropic', request(withResult([text, image], true)))
    expect(body['messages']?.[2]).toMatchObject({
      content: [
        { type: 'tool_result', content: 'seen\n[image: shown below]', is_error: true },
        { type: 'text', text: 'From the result of Look:' },
        { type: 'image' },
      ],
    })
  })

  it('holds the image of a result in a message of its own, behind all results of the turn: openai', async () => {
    const two: Message[] = [
      user('go'),
      { role: 'assistant', text: '', calls: ['a', 'b'].map((id) => ({ id, name: 'Look', input: {} })) },
      {
        role: 'tool',
        results: [
          { callId: 'a', name: 'Look', isError: false, content: [text, image] },
          { callId: 'b', name: 'Look', isError: false, content: [text] },
        ],
      },
    ]
    const body = await sent('openai', request(two), { limits: { images: true } })
    expect((body['messages'] as unknown as object[]).slice(3)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'seen\n[image: shown below]' },
      { role: 'tool', tool_call_id: 'b', content: 'seen' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'From the result of Look:' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
        ],
      },
    ])
  })
})

describe('marks for the prompt cache', () => {
  const long = request([
    ...withResult([text]),
    ...withResult([text], false, 'call_2').slice(1),
    user('context of the turn'),
  ])
  const marks = (body: object) => JSON.stringify(body).match(/"cache_control":\{[^}]*\}/g) ?? []

  it('stand behind the system prompt and the three newest messages of others: anthropic', async () => {
    const body = await sent('anthropic', long)
    expect(marks(body)).toEqual(Array(4).fill('"cache_control":{"type":"ephemeral"}'))
    expect(body['system']).toMatchObject([{ cache_control: { type: 'ephemeral' } }])
    const messages = body['messages'] as unknown as { content: { cache_control?: object }[] }[]
    const marked = messages.map(({ content }) => content.filter((block) => block.cache_control).length)
    // The last two messages are one on this wire.
    expect(marked).toEqual([0, 0, 1, 0, 2])
  })

  it('can last an hour, and can be left away', async () => {
    expect(marks(await sent('anthropic', long, { promptCache: { ttl: '1h' } }))[0]).toContain('"ttl":"1h"')
    expect(marks(await sent('anthropic', long, { promptCache: false }))).toEqual([])
  })

  it('are nothing that others are sent', async () => {
    expect(marks(await sent('openai', long))).toEqual([])
  })

  it('leave what stands in front of them as it is, turn by turn', async () => {
    const first = request(withResult([text]))
    const next = request([...first.messages, ...withResult([text], false, 'call_2').slice(1)])
    const [before, after] = await Promise.all([sent('anthropic', first), sent('anthropic', next)])
    const plain = (body: object) => JSON.stringify(body).replaceAll(/,"cache_control":\{[^}]*\}/g, '')
    const part = plain(before['messages'] as unknown as object).slice(0, -1)
    expect(plain(after['messages'] as unknown as object).startsWith(part)).toBe(true)
    expect(before['system']).toEqual(after['system'])
  })
})

describe('the model', () => {
  const fake = (provider: string, seen: LanguageModelV3CallOptions[] = []): LanguageModelV3 => ({
    specificationVersion: 'v3',
    provider,
    modelId: 'm1',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not asked')),
    async doStream(options) {
      seen.push(options)
      return { stream: new ReadableStream({ start: (controller) => controller.close() }) }
    },
  })

  it('has the id of its provider and its own, unless it is given one', () => {
    expect(aiSdkModel(fake('anthropic.messages')).id).toBe('anthropic/m1')
    expect(aiSdkModel(fake('openai.responses'), { id: 'mine' }).id).toBe('mine')
  })

  it('takes images where its provider does, unless it is said otherwise', () => {
    const takes = (provider: string) => aiSdkModel(fake(provider)).limits
    expect(takes('anthropic.messages')).toEqual({ images: true })
    expect(takes('vertex.anthropic.messages')).toEqual({ images: true })
    expect(takes('openai.chat')).toEqual({ images: true })
    expect(takes('local.chat')).toEqual({ images: false })
    expect(aiSdkModel(fake('local.chat'), { limits: { audio: true } }).limits).toEqual({ audio: true })
  })

  it('tells a provider that would change schemas not to', async () => {
    const seen: LanguageModelV3CallOptions[] = []
    const asked = request([user('go')], { tools: [tool] })
    for (const provider of ['openai.responses', 'openai.chat']) {
      await collect(aiSdkModel(fake(provider, seen)).stream(asked, { signal })).catch(() => {})
    }
    expect(seen.map(({ tools }) => tools?.[0])).toMatchObject([{ strict: false, inputSchema: tool.inputSchema }, {}])
    expect(seen[1]?.tools?.[0]).not.toHaveProperty('strict')
  })

  it('sends the settings with every request; what the request says itself goes first', async () => {
    const seen: LanguageModelV3CallOptions[] = []
    const settings = { temperature: 0, maxOutputTokens: 10, providerOptions: { x: { y: 1 } }, headers: { a: 'b' } }
    const model = aiSdkModel(fake('x', seen), { settings })
    await collect(model.stream(request([user('go')]), { signal })).catch(() => {})
    await collect(model.stream(request([user('go')], { maxOutputTokens: 5 }), { signal })).catch(() => {})
    expect(seen).toMatchObject([settings, { ...settings, maxOutputTokens: 5 }])
  })

  it.each(['v2', 'v4', undefined])('is refused at once when it speaks version %s of the interface', (version) => {
    const old = { ...fake('x'), specificationVersion: version }
    expect(() => aiSdkModel(nonsense(old))).toThrow(
      `must speak version 3 of the AI SDK's model interface, as providers for AI SDK 6 do; it speaks ${version ?? 'none'}.`,
    )
  })
})
