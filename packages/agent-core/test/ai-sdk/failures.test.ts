import { createServer } from 'node:http'
import { inspect } from 'node:util'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { nodeClock } from '@ext/kernel/node'
import { describe, expect, it } from 'vitest'
import { aiSdkModel } from '../../src/ai-sdk/index.js'
import { createAgent, type ModelError } from '../../src/index.js'
import type { ModelErrorKind } from '../../src/model-error.js'
import { MODEL_ERROR_KINDS } from '../../src/model-error.js'
import type { ModelEvent, RunEvent } from '../../src/types.js'
import { collect, play, settle, setUp } from '../kit.js'
import { answerOf, KEY, provided, scriptServer, serve, sse, streamOf, WIRES, type WireName } from './server.js'

const { signal } = new AbortController()
const asked = {
  system: 'You help.',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'the secret of the conversation' }] }],
} as const

interface Failed {
  readonly events: readonly ModelEvent[]
  readonly error: ModelError
}

/** Asks once what must fail. */
async function failing(baseURL: string, wire: WireName): Promise<Failed> {
  const events: ModelEvent[] = []
  try {
    const stream = aiSdkModel(provided(wire, baseURL), { secrets: [KEY] }).stream(asked, { signal })
    for await (const event of stream) events.push(event)
  } catch (error) {
    return { events, error: error as ModelError }
  }
  throw new Error('It did not fail.')
}

const error = (type: string, message: string) => ({ type: 'error', error: { type, message } })
const openaiError = (message: string, type: string, code: string | null = null) => ({ error: { message, type, code } })

describe('an answer that is an error', () => {
  it.each<[WireName, string, number, object, ModelErrorKind]>([
    ['anthropic', 'a pace that is too high', 429, error('rate_limit_error', 'Slow down.'), 'rate_limit'],
    [
      'openai',
      'a pace that is too high',
      429,
      openaiError('Slow down.', 'requests', 'rate_limit_exceeded'),
      'rate_limit',
    ],
    [
      'openai',
      'tokens by the minute, which is no matter of length',
      429,
      openaiError('Reduce the length of the messages: tokens per min.', 'tokens'),
      'rate_limit',
    ],
    [
      'openai',
      'a quota that is used up',
      429,
      openaiError('You exceeded your current quota.', 'insufficient_quota', 'insufficient_quota'),
      'authentication',
    ],
    ['anthropic', 'an overload', 529, error('overloaded_error', 'Overloaded'), 'overloaded'],
    ['anthropic', 'a fault', 500, error('api_error', 'Internal server error'), 'overloaded'],
    ['openai', 'a fault', 503, openaiError('Busy.', 'server_error'), 'overloaded'],
    ['anthropic', 'a wrong key', 401, error('authentication_error', 'invalid x-api-key'), 'authentication'],
    ['anthropic', 'a key that may not', 403, error('permission_error', 'Not yours.'), 'authentication'],
    [
      'openai',
      'a wrong key',
      401,
      openaiError('Incorrect API key.', 'invalid_request_error', 'invalid_api_key'),
      'authentication',
    ],
    ['openai', 'a wrong key without a code', 401, openaiError('No.', 'invalid_request_error'), 'authentication'],
    [
      'anthropic',
      'a long prompt',
      400,
      error('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
      'context_length',
    ],
    [
      'anthropic',
      'a long prompt and answer',
      400,
      error('invalid_request_error', 'input length and `max_tokens` exceed context limit: 199000 + 8000 > 200000'),
      'context_length',
    ],
    [
      'anthropic',
      'a huge request',
      413,
      error('request_too_large', 'Request exceeds the maximum size'),
      'context_length',
    ],
    [
      'openai',
      'a long prompt',
      400,
      openaiError('Too long.', 'invalid_request_error', 'context_length_exceeded'),
      'context_length',
    ],
    [
      'openai',
      'a long prompt of vLLM',
      400,
      {
        object: 'error',
        message: "This model's maximum context length is 4096 tokens.",
        type: 'BadRequestError',
        code: 400,
      },
      'context_length',
    ],
    [
      'openai',
      'a long prompt of llama.cpp',
      400,
      {
        error: {
          code: 400,
          message: 'the request exceeds the available context size',
          type: 'exceed_context_size_error',
        },
      },
      'context_length',
    ],
    [
      'openai',
      'a long prompt of LM Studio',
      400,
      { error: 'The number of tokens is greater than the context length.' },
      'context_length',
    ],
    [
      'openai',
      'a model that there is not',
      404,
      openaiError('The model `x` does not exist', 'invalid_request_error', 'model_not_found'),
      'invalid_request',
    ],
    ['anthropic', 'a model that there is not', 404, error('not_found_error', 'model: x'), 'invalid_request'],
    ['openai', 'a request that is none', 400, openaiError('Bad.', 'invalid_request_error'), 'invalid_request'],
  ])('of %s about %s is told as such', async (wire, _what, status, body, kind) => {
    const failed = await failing(await serve(answerOf(status, body)), wire)
    expect(failed.error.kind).toBe(kind)
    expect(failed.error.message).toContain(`HTTP ${status}: `)
    expect(failed.events).toEqual([])
  })

  it.each([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['parts of a second', { 'retry-after': '0.5' }, 500],
    ['milliseconds', { 'retry-after-ms': '1234', 'retry-after': '9' }, 1234],
    ['a date', { date: 'Mon, 30 Nov 2026 10:00:00 GMT', 'retry-after': 'Mon, 30 Nov 2026 10:01:30 GMT' }, 90_000],
    [
      'a date that is over',
      { date: 'Mon, 30 Nov 2026 10:00:00 GMT', 'retry-after': 'Mon, 30 Nov 2026 09:00:00 GMT' },
      0,
    ],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
  ])('says how long it wants to be left alone: %s', async (_form, headers, expected) => {
    const base = await serve(answerOf(429, error('rate_limit_error', 'Slow down.'), headers as Record<string, string>))
    expect((await failing(base, 'anthropic')).error.retryAfterMs).toBe(expected)
  })

  it.each(WIRES)('may be a page of HTML, of which only the title is told: %s', async (wire) => {
    const page = `<!DOCTYPE html>\n<html><head><title>\n 502 Bad\n Gateway </title></head><body>${'<p>long</p>'.repeat(9999)}</body></html>`
    const { error } = await failing(await serve(answerOf(502, page)), wire)
    expect(error.kind).toBe('overloaded')
    expect(error.message).toBe(
      'HTTP 502: It answered with an HTML page with the title “502 Bad Gateway”, which no model does. Check the address of the endpoint, and proxies on the way.',
    )
  })

  it.each(WIRES)('may be a page where an answer was expected: %s', async (wire) => {
    for (const [body, what] of [
      ['<html><title>Login</title></html>', 'an HTML page'],
      [{ object: 'list' }, 'JSON'],
    ] as const) {
      const { error } = await failing(await serve(answerOf(200, body)), wire)
      expect(error).toMatchObject({ kind: 'invalid_request' })
      expect(error.message).toContain(`It answered with ${what} where a stream of events was expected.`)
    }
  })

  it.each(WIRES)('holds no key and nothing of the conversation, however it is looked at: %s', async (wire) => {
    const said = `Incorrect API key provided: ${KEY}. Also sk-ant-api03-${'a'.repeat(40)} and Bearer ${'b'.repeat(40)}\u001B[31m\nred`
    const body = wire === 'anthropic' ? error('authentication_error', said) : openaiError(said, 'invalid_request_error')
    const { error: failed } = await failing(
      await serve(answerOf(401, body, { 'set-cookie': 'session=cookie-93' })),
      wire,
    )
    const everything = inspect(failed, { depth: 20, showHidden: true }) + JSON.stringify(failed)
    expect(failed.message).toMatch(/Incorrect API key provided: \[redacted\]/)
    for (const secret of [KEY, 'aaaaaaa', 'bbbbbbb', 'secret of the conversation', 'cookie-93', '\u001B']) {
      expect(everything).not.toContain(secret)
    }
  })

  it('is short, however long the other side is', async () => {
    const base = await serve(answerOf(400, openaiError('x'.repeat(100_000), 'invalid_request_error')))
    expect((await failing(base, 'openai')).error.message.length).toBeLessThan(600)
  })
})

describe('an endpoint that is not there', () => {
  it.each(WIRES)('is named with its address, and nothing of its path: %s', async (wire) => {
    const { host, base } = await closedPort()
    const { error } = await failing(base, wire)
    expect(error.kind).toBe('network')
    expect(error.message).toBe(`http://${host} can't be reached: connect ECONNREFUSED ${host}`)
  })

  it.each(WIRES)('may hang up before it answers: %s', async (wire) => {
    const base = await serve((request) => request.socket.destroy())
    const { error } = await failing(base, wire)
    expect(error.kind).toBe('network')
    expect(error.message).toMatch(/^The connection broke off: /)
  })

  it('may have no name', async () => {
    const model = createOpenAICompatible({ name: 'x', baseURL: 'http://nowhere.invalid/v1' })('m')
    await expect(collect(aiSdkModel(model).stream(asked, { signal }))).rejects.toMatchObject({
      kind: 'network',
      message: expect.stringContaining("http://nowhere.invalid can't be reached: getaddrinfo "),
    })
  })
})

describe('a key that is missing', () => {
  it('is an error of authentication', async () => {
    const apiKey = process.env['ANTHROPIC_API_KEY']
    delete process.env['ANTHROPIC_API_KEY']
    try {
      const model = aiSdkModel(createAnthropic()('m'))
      await expect(collect(model.stream(asked, { signal }))).rejects.toMatchObject({ kind: 'authentication' })
    } finally {
      if (apiKey !== undefined) process.env['ANTHROPIC_API_KEY'] = apiKey
    }
  })
})

describe('a run', () => {
  it.each(WIRES)('waits as long as the endpoint says, and goes on: %s', async (wire) => {
    const turns = [{ say: 'Here I am.' }]
    const { model, requests } = await scriptServer({ turns }, wire)
    const real = await scriptServer(
      { turns: [{ fail: { kind: 'rate_limit', message: 'Slow.', retryAfterMs: 42_000 } }] },
      wire,
    )
    let calls = 0
    const { session, clock } = await setUp({
      model: {
        id: 'm',
        stream: (request, options) => aiSdkModel(calls++ === 0 ? real.model : model).stream(request, options),
      },
    })
    const run = session.run('go')
    const notices = await noticesOf(run)
    clock.advance(41_999)
    await settle()
    expect(requests).toHaveLength(0)
    clock.advance(1)
    expect(await run.result).toMatchObject({ reason: 'done', text: 'Here I am.' })
    expect(notices).toEqual(['The model failed and is asked again in 42000 ms: HTTP 429: Slow.'])
  })

  it('is not stopped for longer than a minute by what an endpoint asks', async () => {
    const { model } = await scriptServer(
      { turns: [{ fail: { kind: 'overloaded', message: 'Later.', retryAfterMs: 86_400_000 } }] },
      'anthropic',
    )
    const { session, clock } = await setUp({ model: aiSdkModel(model), limits: { modelRetries: 1 } })
    const run = session.run('go')
    await noticesOf(run)
    clock.advance(60_000)
    expect(await run.result).toMatchObject({ reason: 'error', error: { kind: 'overloaded' } })
  })

  it.each(WIRES)('ends when the endpoint never answers, and the connection with it: %s', async (wire) => {
    let closed = false
    const base = await serve((request) => {
      request.socket.on('close', () => {
        closed = true
      })
    })
    const agent = await createAgent({
      model: aiSdkModel(provided(wire, base)),
      ports: { clock: nodeClock() },
      limits: { modelSilenceMs: 150, modelRetries: 0 },
    })
    const result = await agent.session({ cwd: '/' }).run('go').result
    expect(result).toMatchObject({ reason: 'error', error: { kind: 'no_answer' } })
    await until(() => closed)
  })

  it.each(WIRES)('waits for a model that takes its time over one long input: %s', async (wire) => {
    const json = (text: string) =>
      wire === 'anthropic'
        ? { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: text } }
        : chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] })
    const block = { type: 'tool_use', id: 'call_1', name: 'Echo', input: {} }
    const start =
      wire === 'anthropic'
        ? [MESSAGE_START, { type: 'content_block_start', index: 0, content_block: block }]
        : [chunk({ tool_calls: [{ index: 0, id: 'call_1', function: { name: 'Echo', arguments: '' } }] })]
    const base = await serve((request, response) => {
      streamOf([...start, json('{"text": "')], 'stay')(request, response)
      const words = setInterval(() => response.write(sse(json('word '))), 50)
      response.on('close', () => clearInterval(words))
    })
    const agent = await createAgent({
      model: aiSdkModel(provided(wire, base)),
      ports: { clock: nodeClock() },
      limits: { modelSilenceMs: 400, modelRetries: 0, maxRunMs: 1200 },
    })
    const result = await agent.session({ cwd: '/' }).run('go').result
    expect(result).toMatchObject({ reason: 'budget', error: { kind: 'budget' } })
  })

  it.each(WIRES)(
    'ends at once when it is aborted in the middle of an answer, and the connection with it: %s',
    async (wire) => {
      let closed = false
      const start =
        wire === 'anthropic'
          ? [
              MESSAGE_START,
              { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
              delta('Half'),
            ]
          : [chunk({ content: 'Half' })]
      const base = await serve((request, response) => {
        request.socket.on('close', () => {
          closed = true
        })
        streamOf(start, 'stay')(request, response)
      })
      const agent = await createAgent({ model: aiSdkModel(provided(wire, base)), ports: { clock: nodeClock() } })
      const controller = new AbortController()
      const session = agent.session({ cwd: '/' })
      const run = session.run('go', { signal: controller.signal })
      for await (const event of run) if (event.type === 'text') controller.abort()
      expect(await run.result).toMatchObject({ reason: 'aborted', text: 'Half' })
      await until(() => closed)
    },
  )

  it.each(WIRES)(
    'never sends a huge message that does not fit a second time, whatever becomes of the connection: %s',
    async (wire) => {
      const sizes: number[] = []
      const base = await serve((request, response) => {
        sizes.push(Number(request.headers['content-length']))
        // As proxies do it: the answer comes before the request was read.
        response.writeHead(413, { 'content-type': 'text/html', connection: 'close' })
        response.end('<html><head><title>413 Request Entity Too Large</title></head></html>')
        request.resume()
      })
      const { result } = await play({ model: aiSdkModel(provided(wire, base)) }, 'x'.repeat(3_000_000))
      expect(result).toMatchObject({ reason: 'error', error: { kind: 'context_length' } })
      expect(result.error?.message).toContain('“413 Request Entity Too Large”')
      // The second is asked to make it shorter, and gets it shorter already.
      const [first = 0, ...others] = sizes
      expect(others.filter((size) => size > first / 2)).toEqual([])
      expect(others.length).toBeLessThan(2)
    },
  )

  it.each(WIRES)('fails over the wire in the way of the scripted model, kind by kind: %s', async (wire) => {
    for (const kind of MODEL_ERROR_KINDS.filter((each) => each !== 'no_answer' && each !== 'unknown')) {
      const { model } = await scriptServer({ turns: [{ fail: { kind, message: 'as written' } }] }, wire)
      const { result } = await play({ model: aiSdkModel(model), limits: { modelRetries: 0 } })
      expect([kind, result.error?.kind]).toEqual([kind, kind])
    }
  })

  it.each(WIRES)('keeps what came before an error in the stream, kind by kind: %s', async (wire) => {
    for (const kind of MODEL_ERROR_KINDS.filter((each) => each !== 'no_answer')) {
      const { model } = await scriptServer(
        { turns: [{ say: 'Half a sentence', fail: { kind, message: 'as written' } }] },
        wire,
      )
      const { result } = await play({ model: aiSdkModel(model) })
      expect([kind, result.error?.kind, result.text]).toEqual([kind, kind, 'Half a sentence'])
    }
  })
})

/** What a run has said, once it waits. */
async function noticesOf(run: AsyncIterable<RunEvent>): Promise<string[]> {
  const notices: string[] = []
  void (async () => {
    for await (const event of run) if (event.type === 'notice') notices.push(event.text)
  })()
  await until(() => notices.length > 0)
  await settle()
  return notices
}

/** An address at which nobody listens any more. */
async function closedPort(): Promise<{ readonly host: string; readonly base: string }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  const host = `127.0.0.1:${typeof address === 'object' && address?.port}`
  return { host, base: `http://${host}/secret-path` }
}

const MESSAGE_START = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    usage: { input_tokens: 1, output_tokens: 1 },
  },
}

function delta(text: string) {
  return { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }
}

function chunk(part: object, finish: string | null = null) {
  return { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: part, finish_reason: finish }] }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}
