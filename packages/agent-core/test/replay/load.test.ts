import { describe, expect, it } from 'vitest'
import { loadRecording, replayedModel } from '../../src/replay/index.js'
import { answering, ask, FILE, loaded, places, recorder, request, said, text, user } from './kit.js'

const first = [user('a')]
const second = [...first, said('answer 1'), user('b')]
const third = [...second, said('answer 2'), user('c')]

/** A header and three calls of one conversation. */
async function threeTurns(): Promise<readonly string[]> {
  const recording = recorder(answering((_, call) => [text(`answer ${call}`)]))
  for (const messages of [first, second, third]) await ask(recording.model, request(messages))
  await recording.model.written()
  return recording.lines
}

describe('a recording', () => {
  it('can be read from anything that keeps its lines: CRLF, empty lines, a byte order mark, no break at the end', async () => {
    const lines = await threeTurns()
    const expected = await loaded(lines.join(''))
    expect(expected.calls).toHaveLength(3)
    const torn = `\uFEFF${lines.map((line) => line.trimEnd()).join('\r\n\r\n')}`
    expect(await loaded(torn)).toEqual(expected)
  })

  it('can stand behind another one', async () => {
    const lines = await threeTurns()
    const { calls } = await loaded([...lines, ...lines].join(''))
    expect(calls.map(({ call }) => call)).toEqual([1, 2, 3, 1, 2, 3])
  })

  it('that breaks off in its last line loses that call only, and says so', async () => {
    const whole = (await threeTurns()).join('')
    const { value, diagnostics } = await loadRecording(whole.slice(0, -40), { file: FILE })
    expect(value?.calls.map(({ call }) => call)).toEqual([1, 2])
    expect(places(diagnostics)).toEqual([expect.stringMatching(/^\/p\/run\.jsonl:4:\d+ warning recording\.torn$/)])
  })

  it('can break off at any character of its last call', async () => {
    const lines = await threeTurns()
    const before = lines.slice(0, 3).join('')
    const last = lines[3] ?? ''
    for (let length = 1; length < last.length - 1; length++) {
      const { value, diagnostics } = await loadRecording(before + last.slice(0, length), { file: FILE })
      expect(value?.calls).toHaveLength(2)
      expect(diagnostics.map(({ code }) => code)).toEqual(['recording.torn'])
    }
  })

  it.each([
    ['no JSON', '{"type": "call", oops}', /^\/p\/run\.jsonl:3:18 warning recording\.line$/],
    ['JSON with a comment', '{"type": "call"} // one', /:3:18 warning recording\.line$/],
    ['no map', '42', /:3:1 warning recording\.line$/],
    ['no known type', '{"type": "cell"}', /:3:\d+ warning recording\.line$/],
    ['a call without its end', '{"type":"call","call":1,"digest":"x","request":{"messages":[]},"events":[]}', /:3:1 w/],
    [
      'a failure without its message',
      '{"type":"call","call":1,"digest":"x","request":{"messages":[]},"events":[],"end":{"type":"failed","ms":1,"kind":"network"}}',
      /:3:\d+ w/,
    ],
    [
      'an event that is none',
      '{"type":"call","call":1,"digest":"x","request":{"messages":[]},"events":[{"ms":1}],"end":{"type":"done","ms":1}}',
      /:3:74 w/,
    ],
  ])('with a line that is %s loses that line only, and says where', async (_, line, place) => {
    const [header = '', one = '', , three = ''] = await threeTurns()
    const { value, diagnostics } = await loadRecording([header, one, `${line}\n`, three].join(''), { file: FILE })
    expect(value?.calls.map(({ call }) => call)).toEqual([1, 3])
    expect(places(diagnostics)).toEqual([expect.stringMatching(place), `${FILE}:4:1 warning recording.gap`])
    expect(diagnostics.every(({ hint }) => hint)).toBe(true)
  })

  it('still answers a request that continues a lost line, if it is the same to the letter', async () => {
    const [header = '', one = '', , three = ''] = await threeTurns()
    const { value } = await loadRecording([header, one, three].join(''), { file: FILE })
    const model = replayedModel(value ?? { file: FILE, model: '', calls: [] })
    expect(await ask(model, request(third))).toEqual({ events: [text('answer 3')] })
    expect(await ask(model, request(second))).toMatchObject({
      error: { message: expect.stringContaining('closest to that of call 1 and departs from it in message 2.') },
    })
  })

  it('can be edited: what stands in it counts', async () => {
    const edited = (await threeTurns()).join('').replaceAll('"a"', '"A"').replaceAll('answer 1', 'Answer 1')
    const model = replayedModel(await loaded(edited))
    expect(await ask(model, request([user('A')]))).toEqual({ events: [text('Answer 1')] })
    expect(await ask(model, request([user('A'), said('Answer 1'), user('b')]))).toEqual({ events: [text('answer 2')] })
  })

  it.each([
    [
      'of a newer version',
      '{"type":"recording","version":2,"model":"m","more":true}\n',
      `${FILE}:1:1 error recording.version`,
    ],
    ['without its first line', '', `${FILE}:1:1 error recording.header`],
    ['that begins with a call', '{"type":"call"}\n', `${FILE}:1:1 error recording.header`],
    ['that begins with nonsense', '\nhello\n', `${FILE}:2:1 error recording.header`],
    ['that begins with half a line', '{"type":"recording","ver', new RegExp(`^${FILE}:1:\\d+ error recording.header$`)],
  ])('%s is not used, and the diagnostic has the place', async (_, jsonl, place) => {
    const { value, diagnostics } = await loadRecording(jsonl, { file: FILE })
    expect(value).toBeUndefined()
    expect(places(diagnostics)).toEqual([typeof place === 'string' ? place : expect.stringMatching(place)])
    expect(diagnostics[0]?.hint).toBeTruthy()
  })

  it('says which version it has and which can be read', async () => {
    const { diagnostics } = await loadRecording('{"type":"recording","version":7,"model":"m"}', { file: FILE })
    expect(diagnostics[0]?.message).toBe('The recording has version 7; versions up to 1 can be read.')
  })
})
