import { describe, expect, it } from 'vitest'
import { createSchemaValidator } from '../../src/ajv/index.js'

const validator = await createSchemaValidator()

/** The problems of a value, or why its schema is none. */
function problems(schema: Record<string, unknown>, value: unknown) {
  const check = validator.compile(schema)
  if (typeof check !== 'function') return check.problem
  return check(value).map(({ pointer, message }) => `${pointer} ${message}`)
}

describe('a schema that comes at run time', () => {
  it.each([
    [{ type: 'object', required: ['path'] }, {}, [" must have required property 'path'"]],
    [{ properties: { n: { type: 'integer' } } }, { n: 'x' }, ['/n must be integer']],
    [{ properties: {}, additionalProperties: false }, { x: 1 }, [' must NOT have additional properties ("x")']],
    [{ enum: ['a', 'b'] }, 'c', [' must be equal to one of the allowed values (["a","b"])']],
    [
      { properties: { a: { type: 'string' }, b: { type: 'string' } } },
      { a: 1, b: 2 },
      ['/a must be string', '/b must be string'],
    ],
    [{}, { anything: true }, []],
    [{ format: 'no-such-format', 'x-own': 1, type: 'string' }, 'x', []],
  ])('%j says all that is wrong with %j', (schema, value, expected) => {
    expect(problems(schema, value)).toEqual(expected)
  })

  it('is read in the dialect that it names, 2020-12 without one', () => {
    const pair = { prefixItems: [{ type: 'string' }], items: false }
    expect(problems(pair, ['a', 1])).toEqual([' must NOT have more than 1 items'])
    const old = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      items: [{ type: 'string' }],
      additionalItems: false,
    }
    expect(problems(old, ['a', 1])).toEqual([' must NOT have more than 1 items'])
    expect(problems({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...pair }, ['a'])).toEqual([])
    const between = { ...old, $schema: 'https://json-schema.org/draft/2019-09/schema', dependentRequired: {} }
    expect(problems(between, ['a', 1])).toEqual([' must NOT have more than 1 items'])
  })

  it.each([
    ['a wrong type', { type: 'strin' }, /type/],
    ['a broken pattern', { pattern: '(' }, /regular expression/i],
    ['a reference to nothing', { $ref: '#/$defs/none' }, /can't resolve reference/],
    ['a reference to the network', { $ref: 'https://example.com/schema.json' }, /can't resolve reference/],
    ['a promise', { $async: true, type: 'string' }, /\$async/],
  ])('with %s is a problem, not an exception', (_what, schema, message) => {
    expect(problems(schema, 5)).toMatch(message)
  })

  it('has patterns that run in linear time, whoever wrote them', () => {
    const evil = { type: 'string', pattern: '^(a+)+$' }
    expect(problems(evil, `${'a'.repeat(40)}!`)).toEqual([' must match pattern "^(a+)+$"'])
    expect(problems(evil, 'aaa')).toEqual([])
    expect(problems({ pattern: '\\d{4}-\\d\\d' }, '2026-1')).toHaveLength(1)
  })

  it.each([['(?=x)y'], ['(a)\\1'], ['a'.repeat(1001)]])(
    'does not check the pattern %j, which has no linear-time form',
    (pattern) => {
      expect(problems({ pattern }, 'anything')).toEqual([])
    },
  )

  it('does not refuse a text because it is long', () => {
    expect(problems({ pattern: '^a+$' }, 'a'.repeat(70_000))).toEqual([])
  })

  it('is compiled once, and two with the same $id do not meet', () => {
    const schema = { $id: 'https://example.com/x', type: 'string' }
    expect(validator.compile(schema)).toBe(validator.compile(schema))
    expect(problems({ $id: 'https://example.com/x', type: 'number' }, 'x')).toEqual([' must be number'])
    expect(problems(schema, 'x')).toEqual([])
  })

  it('that is recursive survives a value without end', () => {
    const schema = { $defs: { node: { items: { $ref: '#/$defs/node' } } }, $ref: '#/$defs/node' }
    let value: unknown[] = []
    for (let depth = 0; depth < 100_000; depth++) value = [value]
    expect(problems(schema, [[[]]])).toEqual([])
    expect(problems(schema, value)).toEqual([expect.stringContaining('stack')])
  })
})

it('holds a schema against its dialect without compiling it', async () => {
  const { check } = await createSchemaValidator()
  expect(check({ type: 'object', properties: { a: { $ref: '#/none' } } })).toBeUndefined()
  expect(check({ properties: { a: { type: 'strng' } } })?.pointer).toBe('/properties/a/type')
  expect(check({ items: [{}] })).toEqual({ pointer: '/items', message: 'must be object,boolean' })
  expect(check({ $schema: 'http://json-schema.org/draft-07/schema#', items: [{}] })).toBeUndefined()
  expect(check({ $schema: 'http://json-schema.org/draft-04/schema#', minimum: 'x' })?.pointer).toBe('/minimum')
})
