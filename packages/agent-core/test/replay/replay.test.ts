import { fakeClock } from '@ext/kernel/testing'
import { describe, expect, it } from 'vitest'
import { ModelError } from '../../src/model-error.js'
import { type Recording, replayedModel } from '../../src/replay/index.js'
import type { Message, ModelRequest } from '../../src/types.js'
import { answering, ask, FILE, recorder, request, said, text, user } from './kit.js'

const tool = (name: string, description: string) => ({ name, description, inputSchema: { type: 'object' } })
const tools = [tool('Echo', 'Repeats a text.'), tool('Read', 'Reads a file.')]
const first: readonly Message[] = [user('What is the weather in Bergen?')]
const second: readonly Message[] = [...first, said('answer 1'), user('And in Oslo?')]

/** A conversation of two turns. */
async function twoTurns(): Promise<Recording> {
  const recording = recorder(answering((_, call) => [text(`answer ${call}`)]))
  await ask(recording.model, request(first, { tools }))
  await ask(recording.model, request(second, { tools }))
  return recording.load()
}

describe('a replayed model', () => {
  it('answers each request as the recorded model did, for as many sessions as there are', async () => {
    const model = replayedModel(await twoTurns())
    expect(model.id).toBe('acme/one')
    for (const messages of [first, first, second, first, second, second]) {
      expect(await ask(model, request(messages, { tools }))).toEqual({
        events: [text(messages === first ? 'answer 1' : 'answer 2')],
      })
    }
  })

  it('takes what the recorded model took', async () => {
    const recording = recorder({ ...answering(() => []), limits: { images: true } })
    await ask(recording.model, request(first))
    expect(replayedModel(await recording.load()).limits).toEqual({ images: true })
  })

  it('does not care about the order of keys', async () => {
    const model = replayedModel(await twoTurns())
    const turned = tools.map(({ name, description, inputSchema }) => ({ inputSchema, description, name }))
    expect(await ask(model, { messages: second, tools: turned, system: 'You help.' })).toEqual({
      events: [text('answer 2')],
    })
  })

  it('fails as the recorded model did: after what came before, with its kind and its pause', async () => {
    const errors = [
      new ModelError('overloaded', 'busy', { retryAfterMs: 70 }),
      new ModelError('network', 'cut off'),
      new Error('odd'),
    ]
    const recording = recorder(
      answering((_, call) => {
        const fail = () => {
          throw errors[call - 1]
        }
        return [...(call === 2 ? [text('half a sen')] : []), ...(errors[call - 1] ? [fail] : [text('there you go')])]
      }),
    )
    for (let time = 0; time < 4; time++) await ask(recording.model, request(first))
    const model = replayedModel(await recording.load())
    const busy = {
      error: { code: 'agent-core.model.overloaded', message: 'busy', kind: 'overloaded', retryAfterMs: 70 },
    }
    expect(await ask(model, request(first))).toMatchObject({ events: [], ...busy })
    expect(await ask(model, request(first))).toMatchObject({
      events: [text('half a sen')],
      error: { code: 'agent-core.model.network', message: 'cut off' },
    })
    expect(await ask(model, request(first))).toMatchObject({ events: [], error: { kind: 'unknown', message: 'odd' } })
    expect(await ask(model, request(first))).toEqual({ events: [text('there you go')] })
    expect(await ask(model, request(first))).toMatchObject(busy)
  })

  it('says so where a call was aborted when it was recorded', async () => {
    const controller = new AbortController()
    const recording = recorder(answering(() => [text('a'), () => controller.abort(), () => new Promise(() => {})]))
    const stream = recording.model.stream(request(first), { signal: controller.signal })[Symbol.asyncIterator]()
    await stream.next()
    void stream.next()
    await Promise.resolve()
    const model = replayedModel(await recording.load())
    expect(await ask(model, request(first))).toMatchObject({
      events: [text('a')],
      error: { code: 'agent-core.replay.aborted', message: expect.stringContaining(`Call 1 of ${FILE} was aborted`) },
    })
  })

  it('ends with the reason of its signal', async () => {
    const model = replayedModel(await twoTurns())
    const reason = new Error('enough')
    expect(await ask(model, request(first, { tools }), AbortSignal.abort(reason))).toEqual({
      events: [],
      error: reason,
    })
  })
})

describe('the pace of a replay', () => {
  async function slow(): Promise<Recording> {
    const recording = recorder(
      answering(() => {
        const wait = () => recording.clock.advance(100)
        return [wait, text('a'), wait, text('b'), wait]
      }),
    )
    await ask(recording.model, request(first))
    return recording.load()
  }

  it.each([
    [1, [100, 200, 300]],
    [10, [10, 20, 30]],
    [0.5, [200, 400, 600]],
  ])('at speed %d keeps the times of the recording', async (speed, times) => {
    const clock = fakeClock()
    const model = replayedModel(await slow(), { pace: { clock, speed } })
    const seen: number[] = []
    const playing = (async () => {
      for await (const _ of model.stream(request(first), { signal: new AbortController().signal }))
        seen.push(clock.now())
      seen.push(clock.now())
    })()
    while (seen.length < times.length) {
      await new Promise((resolve) => setTimeout(resolve, 1))
      if (clock.pending > 0) clock.advance(10)
    }
    await playing
    expect(seen).toEqual(times)
  })

  it('is left at once by an abort, without a timer', async () => {
    const clock = fakeClock()
    const model = replayedModel(await slow(), { pace: { clock } })
    const controller = new AbortController()
    const heard = ask(model, request(first), controller.signal)
    while (clock.pending === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    const reason = new Error('enough')
    controller.abort(reason)
    expect(await heard).toEqual({ events: [], error: reason })
    expect(clock.pending).toBe(0)
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('is refused at speed %d', async (speed) => {
    const recording = await slow()
    expect(() => replayedModel(recording, { pace: { clock: fakeClock(), speed } })).toThrow(
      expect.objectContaining({ code: 'agent-core.replay.speed' }),
    )
  })
})

describe('a request that departs from the recording', () => {
  async function departure(asked: ModelRequest, recording?: Recording): Promise<string> {
    const { events, error } = await ask(replayedModel(recording ?? (await twoTurns())), asked)
    expect(events).toEqual([])
    expect(error).toMatchObject({ code: 'agent-core.replay.departed' })
    return (error as Error).message
  }

  it('is shown next to what was recorded, from a little before the first difference', async () => {
    const messages = [...first, said('answer 1'), user(`And in Tromsø?${' Tell me.'.repeat(50)}`)]
    const tail = ' Tell me.'.repeat(50).slice(0, 120 - 'Tromsø?'.length)
    expect(await departure(request(messages, { tools }))).toBe(
      [
        `The request is not in ${FILE}. It is closest to that of call 2 and departs from it in message 3.`,
        '  recorded: user {"content":[{"text":"And in Oslo?","type":"text"}]}',
        `  sent:     user {"content":[{"text":"And in Tromsø?${tail}…`,
      ].join('\n'),
    )
  })

  it('is shown from the middle when it departs late', async () => {
    const long = 'All is well. '.repeat(100)
    const recording = recorder(answering(() => []))
    await ask(recording.model, request(first, { system: `${long}Today is 2031-02-03.` }))
    const message = await departure(request(first, { system: `${long}Today is 2032-06-07.` }), await recording.load())
    expect(message).toContain('departs from it in the system prompt.')
    expect(message).toMatch(/recorded: ….{40}1-02-03\.$/m)
    expect(message).toMatch(/sent: {5}….{40}2-06-07\.$/m)
  })

  it.each<[string, ModelRequest, string, string, string]>([
    ['the system prompt', request(first, { tools, system: 'You nag.' }), 'the system prompt', 'You help.', 'You nag.'],
    [
      'a tool more',
      request(first, { tools: [...tools, tool('Zip', '')] }),
      'the names of the tools',
      'Echo, Read',
      'Zip',
    ],
    ['no tools', request(first), 'the names of the tools', 'Echo, Read', ''],
    [
      'the text of a tool',
      request(first, { tools: [tool('Echo', 'Repeats a text.'), tool('Read', 'Reads two files.')] }),
      'the tool Read',
      '"Reads a file."',
      '"Reads two files."',
    ],
    ['who speaks', request([...first, user('answer 1')], { tools }), 'message 2', 'assistant {', 'user {'],
    ['the first message', request([user('Hm.')], { tools }), 'message 1', 'What is the weather', 'Hm.'],
    [
      'a message more',
      request([...second, said('answer 2'), user('x')], { tools }),
      'message 4',
      'no further message',
      'answer 2',
    ],
    ['a message less', request(second.slice(0, 2), { tools }), 'message 3', 'And in Oslo?', 'no further message'],
  ])('says that it is %s', async (_, asked, where, recorded, sent) => {
    const [head, before, now] = (await departure(asked)).split('\n')
    expect(head).toMatch(new RegExp(`in ${where}\\.$`))
    expect(before).toContain(recorded)
    expect(now).toContain(sent)
  })

  it('is compared with the call that it is most like', async () => {
    const recording = recorder(answering(() => []))
    await ask(recording.model, request([user('Hm.')], { system: 'You review.' }))
    await ask(recording.model, request(first))
    await ask(recording.model, request([user('Ah.')], { system: 'You write.' }))
    const loaded = await recording.load()
    expect(await departure(request([...first, user('x')]), loaded)).toContain('call 2 and')
    expect(await departure(request([user('Oh.')], { system: 'You write.' }), loaded)).toContain('call 3 and')
  })

  it('says so when there is nothing to compare it with', async () => {
    const empty = { file: FILE, model: 'acme/one', calls: [] }
    expect(await departure(request(first), empty)).toBe(
      `${FILE} holds no call that the request could be compared with.`,
    )
  })

  it('is the same request once `normalize` has taken out what changes', async () => {
    const normalize = (asked: ModelRequest) => ({ ...asked, system: asked.system.replace(/\d{4}-\d\d-\d\d/, 'DATE') })
    const recording = recorder(
      answering(() => [text('fine')]),
      { normalize },
    )
    await ask(recording.model, request(first, { system: 'Today is 2031-02-03.' }))
    const tomorrow = request(first, { system: 'Today is 2031-02-04.' })
    const loaded = await recording.load()
    expect(await ask(replayedModel(loaded, { normalize }), tomorrow)).toEqual({ events: [text('fine')] })
    expect(await departure(tomorrow, loaded)).toContain('Today is DATE.')
  })
})
