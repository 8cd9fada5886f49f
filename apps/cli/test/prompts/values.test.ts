import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readValues } from '../../src/prompts/values.js'

const two = [
  { name: 'who', required: true },
  { name: 'how', required: false },
]

test.each([
  ['who=Ada how="good day"', { who: 'Ada', how: 'good day' }],
  ['how=hi who=Ada', { who: 'Ada', how: 'hi' }],
  ['Ada "good day"', { who: 'Ada', how: 'good day' }],
  ['how=hi Ada', { how: 'hi', who: 'Ada' }],
  ['who="say \\"hi\\" \\\\"', { who: 'say "hi" \\' }],
  ['who= how=x', { who: '', how: 'x' }],
  ['a=b', { who: 'a=b' }],
  ['  ', {}],
])('%s', (text, values) => {
  expect(readValues(text, two)).toEqual({ values })
})

test('one argument takes the whole text', () => {
  expect(readValues('the cheese shop', [{ name: 'topic', required: true }])).toEqual({
    values: { topic: 'the cheese shop' },
  })
  expect(readValues('topic=cheese', [{ name: 'topic', required: true }])).toEqual({ values: { topic: 'cheese' } })
})

test.each([
  ['a b c', 'There is no argument for `c`.'],
  ['who=a who=b', '`who` is given twice.'],
  ['who="a', 'A quote is not closed.'],
  ['"a"b', 'A quote is not closed.'],
])('%s is said', (text, problem) => {
  expect(readValues(text, two)).toEqual({ problem })
})

test('whatever a value is, written in quotes it is read as it is', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (who, how) => {
      const quoted = (value: string) => `"${value.replace(/["\\]/g, '\\$&')}"`
      expect(readValues(`how=${quoted(how)} who=${quoted(who)}`, two)).toEqual({ values: { who, how } })
    }),
    { seed: 9 },
  )
})
