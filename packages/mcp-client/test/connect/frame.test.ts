import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answeredAtEnd, answeredAtStart } from '../../src/connect/frame.js'

const EDGE = 1024

describe('the request that a message answers is read off its ends', () => {
  test.each([
    ['{"jsonrpc":"2.0","id":7,"result":{"content":[', 7],
    ['{ "id" : "a" , "jsonrpc": "2.0", "result": {', 'a'],
    ['{"id":"a\\"b","result":{', 'a"b'],
    ['{"result":{"id":7,"a":', undefined],
    ['{"result":{"a":1},"id":7}', undefined],
    ['{"jsonrpc":"2.0","id":1', undefined],
    ['{"jsonrpc":"2.0","method":"x","id":7,"params":{', undefined],
    ['[{"id":7', undefined],
    ['no JSON at all', undefined],
  ])('%s begins with %s', (text, id) => {
    expect(answeredAtStart(text)).toBe(id)
  })

  test.each([
    ['xxx"}]},"jsonrpc":"2.0","id":7}', 7],
    ['xxx"}]},"id":"a", "jsonrpc":"2.0" }\r', 'a'],
    ['xxx"}]},"id":7}', 7],
    ['xxx,\\"id\\":7}"}]}}', undefined],
    ['xxx,\\"id\\":7}', undefined],
    ['xxx"}],"id":7}}', undefined],
    ['xxx"}]},"jsonrpc":"2.0"}', undefined],
  ])('%s ends with %s', (text, id) => {
    expect(answeredAtEnd(text)).toBe(id)
  })

  test('for whatever result, at the end where the id stands, and never another id', () => {
    const results = fc.record({ id: fc.integer(), text: fc.string({ minLength: 0 }), more: fc.jsonValue() })
    fc.assert(
      fc.property(results, fc.nat(), (result, id) => {
        const pad = { ...result, pad: 'x'.repeat(2 * EDGE) }
        const first = JSON.stringify({ jsonrpc: '2.0', id, result: pad })
        const last = JSON.stringify({ result: pad, jsonrpc: '2.0', id })
        expect(answeredAtStart(first.slice(0, EDGE))).toBe(id)
        expect(answeredAtEnd(first.slice(-EDGE))).toBeUndefined()
        expect(answeredAtStart(last.slice(0, EDGE))).toBeUndefined()
        expect(answeredAtEnd(last.slice(-EDGE))).toBe(id)
      }),
      { seed: 1 },
    )
  })
})
