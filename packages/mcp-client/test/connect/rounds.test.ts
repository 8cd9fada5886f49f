import { expect, test } from 'vitest'
import { inRounds } from '../../src/connect/stateless/rounds.js'
import { faultOf } from './ground.js'

/** Answers in this order, and remembers what it was sent. */
function rounds(...answers: readonly unknown[]) {
  const sent: unknown[] = []
  const waits: number[] = []
  const result = inRounds({
    ask: async (more) => answers[Math.min(sent.push(more), answers.length) - 1],
    answer: async (questions) => ({ to: Object.keys(questions) }),
    pause: async (ms) => void waits.push(ms),
  })
  return { result, sent, waits }
}

const more = (requestState?: unknown) => ({ resultType: 'input_required', requestState })

test('a result comes as it is, without the word that says so', async () => {
  expect(await rounds({ resultType: 'complete', content: [] }).result).toEqual({ content: [] })
  expect(await rounds({ content: [] }).result).toEqual({ content: [] })
})

test('a state goes back as it came, once, after a wait; no state goes back where none came', async () => {
  const { result, sent, waits } = rounds(more('{"a": 1}\u0000'), more('b'), { resultType: 'complete', ok: true })
  expect(await result).toEqual({ ok: true })
  expect(sent).toEqual([{}, { requestState: '{"a": 1}\u0000' }, { requestState: 'b' }])
  expect(waits).toEqual([250, 250])
})

test('questions are answered, and the answers go back with the state, if there is one', async () => {
  const asks = { resultType: 'input_required', inputRequests: { a: {}, b: {} } }
  const { result, sent, waits } = rounds(asks, { ...asks, requestState: 's' }, { ok: true })
  expect(await result).toEqual({ ok: true })
  const inputResponses = { to: ['a', 'b'] }
  expect(sent).toEqual([{}, { inputResponses }, { inputResponses, requestState: 's' }])
  expect(waits).toEqual([])
})

test.each([
  ['never ends', [more('again')], 'was asked 10 times'],
  ['wants nothing and says nothing', [more()], 'neither one nor a question'],
  ['is of a kind that nobody knows', [{ resultType: 'later' }], '("later")'],
])('a server that %s fails its call', async (_what, answers, message) => {
  const { result, sent } = rounds(...answers)
  expect((await faultOf(result)).message).toContain(message)
  expect(sent.length).toBeLessThanOrEqual(10)
})
