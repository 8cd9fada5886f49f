import { ExtError } from '@ext/kernel'
import { describe, expect, it } from 'vitest'
import { ModelError } from '../../src/model-error.js'
import type { ModelEvent, ModelRequest } from '../../src/types.js'
import { answering, ask, recorder, request, said, text, user } from './kit.js'

const tools = [{ name: 'Echo', description: 'Repeats a text.', inputSchema: { type: 'object' } }]

/** The lines as values. */
async function linesOf({ text }: { text(): Promise<string> }) {
  return (await text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe('a recorded model', () => {
  it('streams what the model streams and writes down what it was asked, what it said when, and how it ended', async () => {
    const events: readonly ModelEvent[] = [
      text('Let me see.'),
      { type: 'tool_call', id: 'c1', name: 'Echo', input: { text: 'hi' } },
      { type: 'usage', inputTokens: 7, outputTokens: 3, costUsd: 0.01 },
    ]
    const recording = recorder(
      answering(() =>
        events.flatMap((event) => [() => recording.clock.advance(5), event, () => recording.clock.advance(1)]),
      ),
    )
    const asked = request([user('hello')], { tools })
    expect(await ask(recording.model, asked)).toEqual({ events })
    expect(recording.model.id).toBe('acme/one')
    expect(await linesOf(recording)).toEqual([
      { type: 'recording', version: 1, model: 'acme/one' },
      {
        type: 'call',
        call: 1,
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        request: asked,
        events: [
          { ms: 5, event: events[0] },
          { ms: 11, event: events[1] },
          { ms: 17, event: events[2] },
        ],
        end: { type: 'done', ms: 18 },
      },
    ])
  })

  it('says what the model takes, and writes that down too', async () => {
    const limits = { images: true }
    const recording = recorder({ ...answering(() => []), limits })
    expect(recording.model.limits).toEqual(limits)
    await ask(recording.model, request([user('a')]))
    expect((await linesOf(recording))[0]).toEqual({ type: 'recording', version: 1, model: 'acme/one', limits })
  })

  it('writes of a request only what is new in its conversation', async () => {
    const recording = recorder(answering((_, call) => [text(`answer ${call}`)]))
    const first = [user('hello')]
    const second = [...first, said('answer 1'), user('go on'), user('a reminder')]
    const third = [...second.slice(0, 3), said('answer 2'), user('and then?')]
    const other = [user('something else')]
    await ask(recording.model, request(first, { tools }))
    await ask(recording.model, request(second, { tools }))
    await ask(recording.model, request(other, { system: 'You review.', tools }))
    await ask(recording.model, request(third, { tools: [] }))
    const [, one, two, stranger, three] = await linesOf(recording)
    expect(two.request).toEqual({ from: { digest: one.digest, messages: 1 }, messages: second.slice(1) })
    expect(stranger.request).toMatchObject({ system: 'You review.', messages: other })
    expect(three.request).toEqual({
      from: { digest: two.digest, messages: 3 },
      tools: [],
      messages: third.slice(3),
    })
    const whole = (await recording.load()).calls.map((call) => call.request)
    expect(whole).toEqual([
      request(first, { tools }),
      request(second, { tools }),
      request(other, { system: 'You review.', tools }),
      request(third, { tools: [] }),
    ])
  })

  it('keeps a request as it was asked, even if its list grows while the model answers', async () => {
    const messages = [user('hello')]
    const recording = recorder(answering(() => [() => messages.push(said('too late'))]))
    await ask(recording.model, request(messages))
    expect((await recording.load()).calls[0]?.request?.messages).toEqual([user('hello')])
  })

  it.each([
    [
      'a model error',
      new ModelError('rate_limit', 'slow down', { retryAfterMs: 900 }),
      { type: 'failed', kind: 'rate_limit', message: 'slow down', retryAfterMs: 900, ms: 0 },
    ],
    ['any other error', new TypeError('oops'), { type: 'failed', kind: 'unknown', message: 'oops', ms: 0 }],
    ['what is no error', 'oops', { type: 'failed', kind: 'unknown', message: 'oops', ms: 0 }],
  ])('passes on %s, with what came before it', async (_, error, end) => {
    const fail = () => {
      throw error
    }
    const recording = recorder(answering(() => [text('half a sen'), fail]))
    const heard = await ask(recording.model, request([user('hello')]))
    expect(heard).toEqual({ events: [text('half a sen')], error })
    const [, call] = await linesOf(recording)
    expect(call).toMatchObject({ events: [{ ms: 0, event: text('half a sen') }], end })
  })

  it('notes an abort at once, also of a model that ignores its signal', async () => {
    const recording = recorder(answering(() => [text('a'), () => new Promise(() => {})]))
    const controller = new AbortController()
    const stream = recording.model
      .stream(request([user('hello')]), { signal: controller.signal })
      [Symbol.asyncIterator]()
    await stream.next()
    void stream.next()
    recording.clock.advance(40)
    controller.abort()
    expect((await linesOf(recording))[1]).toMatchObject({ events: [{ ms: 0 }], end: { type: 'aborted', ms: 40 } })
  })

  it('notes that its reader has left', async () => {
    const recording = recorder(answering(() => [text('a'), text('b')]))
    for await (const _ of recording.model.stream(request([user('x')]), { signal: new AbortController().signal })) break
    expect((await linesOf(recording))[1]).toMatchObject({
      events: [{ ms: 0, event: text('a') }],
      end: { type: 'aborted' },
    })
  })

  it('leaves no listener on the signal', async () => {
    const { signal } = new AbortController()
    let listening = 0
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listening++
      add(...args)
    }
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listening--
      remove(...args)
    }
    await ask(recorder(answering(() => [text('a')])).model, request([user('x')]), signal)
    expect(listening).toBe(0)
  })
})

describe('a writer that fails', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('disk full')
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk full'))],
  ])('costs nothing of the stream when it %s, and is said once', async (_, write) => {
    const errors: unknown[] = []
    const recording = recorder(
      answering(() => [text('fine')]),
      { write, onError: (error) => errors.push(error) },
    )
    for (const prompt of ['a', 'b', 'c']) {
      expect(await ask(recording.model, request([user(prompt)]))).toEqual({ events: [text('fine')] })
    }
    await recording.model.written()
    expect(errors).toEqual([new Error('disk full')])
  })

  it('costs its line only, and the recording can still be read', async () => {
    const kept: string[] = []
    let calls = 0
    const recording = recorder(
      answering((_, call) => [text(`answer ${call}`)]),
      {
        write: (line) => {
          if (++calls <= 2) throw new Error('not now')
          kept.push(line)
        },
        onError: () => {},
      },
    )
    const first = [user('a')]
    for (const messages of [first, [...first, said('answer 1'), user('b')], [...first, said('answer 1'), user('c')]]) {
      await ask(recording.model, request(messages))
    }
    await recording.model.written()
    expect(kept.map((line) => JSON.parse(line))).toMatchObject([
      { type: 'recording' },
      { call: 3, request: { messages: [...first, said('answer 1'), user('c')] } },
    ])
  })

  it('that never answers does not hold up the stream', async () => {
    const recording = recorder(
      answering(() => [text('fine')]),
      { write: () => new Promise(() => {}) },
    )
    expect(await ask(recording.model, request([user('a')]))).toEqual({ events: [text('fine')] })
    expect(await ask(recording.model, request([user('b')]))).toEqual({ events: [text('fine')] })
  })

  it('and what can be no line are the same to the stream', async () => {
    const errors: unknown[] = []
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    const event: ModelEvent = { type: 'tool_call', id: 'c', name: 'A', input: cycle }
    const recording = recorder(
      answering(() => [event]),
      { onError: (error) => errors.push(error) },
    )
    expect(await ask(recording.model, request([user('a')]))).toEqual({ events: [event] })
    await recording.model.written()
    expect(errors).toHaveLength(1)
  })

  it('is not helped by an `onError` that throws: nothing is left unhandled', async () => {
    const recording = recorder(
      answering(() => []),
      {
        write: () => Promise.reject(new Error('disk full')),
        onError: () => {
          throw new ExtError('test.thrown', 'from onError')
        },
      },
    )
    await ask(recording.model, request([user('a')]))
    await expect(recording.model.written()).resolves.toBeUndefined()
  })
})

describe('`normalize`', () => {
  it('says what of a request is kept', async () => {
    const normalize = (asked: ModelRequest) => ({ ...asked, system: asked.system.replace(/\d{4}-\d\d-\d\d/, 'DATE') })
    const recording = recorder(
      answering(({ system }) => [text(system)]),
      { normalize },
    )
    const heard = await ask(recording.model, request([user('a')], { system: 'Today is 2031-02-03.' }))
    expect(heard.events).toEqual([text('Today is 2031-02-03.')])
    expect((await linesOf(recording))[1].request.system).toBe('Today is DATE.')
  })
})
