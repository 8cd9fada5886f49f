import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { headerText } from '../../src/connect/stateless/headers.js'
import { paramHeaders } from '../../src/registry/param-headers.js'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const wants = (name: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': name })

// The rules are those of MCP 2026-07-28, "Custom Headers from Tool Parameters".
describe('arguments that a tool wants as headers', () => {
  test('are found wherever properties lead, in the order of their places', () => {
    const schema = object({
      region: wants('Region'),
      deep: object({ count: wants('Count', 'integer'), 'a/b': wants('A-B', 'boolean') }),
      plain: { type: 'string', description: 'x-mcp-header' },
      data: { const: { 'x-mcp-header': 'no' } },
    })
    expect(paramHeaders(schema).headers).toEqual([
      { name: 'A-B', pointer: '/deep/a~1b' },
      { name: 'Count', pointer: '/deep/count' },
      { name: 'Region', pointer: '/region' },
    ])
    expect(paramHeaders(object({})).headers).toEqual([])
    expect(paramHeaders('none').headers).toEqual([])
  })

  test.each([
    ['an empty name', object({ a: wants('') }), 'is "", which can\'t be part of a header\'s name'],
    ['a name with a blank', object({ a: wants('My Region') }), "can't be part"],
    ['a name with a line break', object({ a: wants('A\r\nB: c') }), "can't be part"],
    ['a name that is none', object({ a: wants(7) }), 'is 7, which'],
    ['a number', object({ a: wants('A', 'number') }), 'of type "number"'],
    ['a list', object({ a: wants('A', 'array') }), 'of type "array"'],
    ['no type', object({ a: { 'x-mcp-header': 'A' } }), 'of type null'],
    ['the same name twice', object({ a: wants('Region'), b: wants('REGION') }), 'is the header "REGION", as is /a'],
    ['a place in a list', object({ a: { type: 'array', items: wants('A') } }), 'at /properties/a/items'],
    ['a place in a choice', object({}, { oneOf: [object({ a: wants('A') })] }), 'can not be reached'],
    [
      'a place that is referred to',
      object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: wants('A') } }),
      'can not be reached',
    ],
    ['the whole input', { ...object({}), ...wants('A') }, 'at the top'],
  ])('are refused with %s', (_what, schema, why) => {
    expect(paramHeaders(schema).fault).toContain(why)
  })
})

describe('the text of a header', () => {
  // The table "Encoding examples" of the same page.
  test.each([
    ['us-west1', 'us-west1'],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
    ['', '=?base64??='],
  ])('for %j is %s', (text, header) => {
    expect(headerText(text)).toBe(header)
  })

  test('can always be sent, and read back as what it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const header = headerText(text)
        expect(new Headers({ a: header }).get('a')).toBe(header)
        const base64 = /^=\?base64\?(.*)\?=$/.exec(header)?.[1]
        expect(base64 === undefined ? header : Buffer.from(base64, 'base64').toString('utf8')).toBe(text)
      }),
      { seed: 9, numRuns: 500 },
    )
  })
})
