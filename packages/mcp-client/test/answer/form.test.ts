import { createSchemaValidator } from '@ext/kernel/ajv'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readForm } from '../../src/answer/form.js'
import { formatFault } from '../../src/answer/formats.js'
import { RpcError } from '../../src/connect/session.js'

const validator = await createSchemaValidator()
const form = (properties: unknown, required: unknown = []) =>
  readForm('Hello', { type: 'object', properties, required }, validator)

describe('the fields of a form', () => {
  test('are texts, numbers, yes or no, and choices in all the ways that MCP has had', () => {
    const { fields } = form(
      {
        name: { type: 'string', title: 'Name', description: 'Yours.', minLength: 2, default: 'Ada' },
        mail: { type: 'string', format: 'email' },
        size: { type: 'integer', minimum: 1, maximum: 5, default: 3 },
        share: { type: 'number' },
        agree: { type: 'boolean', default: false },
        plain: { type: 'string', enum: ['a', 'b'], default: 'b' },
        old: { type: 'string', enum: ['a'], enumNames: ['First'] },
        titled: { type: 'string', oneOf: [{ const: 'a', title: 'First' }] },
        many: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, maxItems: 1, default: ['a'] },
        titles: { type: 'array', items: { anyOf: [{ const: 'a', title: 'First' }] } },
      },
      ['name'],
    )
    expect(fields).toEqual([
      {
        name: 'name',
        title: 'Name',
        description: 'Yours.',
        required: true,
        kind: 'text',
        minLength: 2,
        default: 'Ada',
      },
      { name: 'mail', required: false, kind: 'text', format: 'email' },
      { name: 'size', required: false, kind: 'integer', minimum: 1, maximum: 5, default: 3 },
      { name: 'share', required: false, kind: 'number' },
      { name: 'agree', required: false, kind: 'boolean', default: false },
      { name: 'plain', required: false, kind: 'choice', options: [option('a'), option('b')], default: 'b' },
      { name: 'old', required: false, kind: 'choice', options: [option('a', 'First')] },
      { name: 'titled', required: false, kind: 'choice', options: [option('a', 'First')] },
      {
        name: 'many',
        required: false,
        kind: 'choices',
        options: [option('a'), option('b')],
        maxItems: 1,
        default: ['a'],
      },
      { name: 'titles', required: false, kind: 'choices', options: [option('a', 'First')] },
    ])
  })

  test.each([
    ['a map in a map', { a: { type: 'object', properties: {} } }],
    ['a list of maps', { a: { type: 'array', items: { type: 'object' } } }],
    ['a reference', { a: { $ref: '#/$defs/a' } }],
    ['no type', { a: {} }],
    ['a choice without options', { a: { type: 'string', enum: [] } }],
    ['a choice of numbers', { a: { type: 'string', enum: [1] } }],
    ['what is no schema', { a: 'string' }],
    [
      'more fields than anybody fills in',
      Object.fromEntries(Array.from({ length: 101 }, (_, i) => [i, { type: 'string' }])),
    ],
  ])('%s is refused, as the specification asks for', (_what, properties) => {
    expect(() => form(properties)).toThrow(expect.objectContaining({ code: -32602 }))
  })

  test('texts that a person sees have no escape sequences', () => {
    const made = readForm(
      '\u001b[31mRed\u0007',
      { type: 'object', properties: { a: { type: 'string', title: '\u001b[2J!' } } },
      validator,
    )
    expect([made.message, made.fields[0]?.title]).toEqual(['Red', '!'])
  })
})

describe('an answer to a form', () => {
  test('gets the defaults of the fields that it leaves out, and keeps what it says', () => {
    const made = form({
      a: { type: 'string', default: 'x' },
      b: { type: 'integer', default: 1 },
      c: { type: 'boolean' },
    })
    expect(made.filled({ a: '' })).toEqual({ a: '', b: 1 })
    expect(made.filled({ b: undefined })).toEqual({ a: 'x', b: 1 })
  })

  test.each([
    ['a field that is required', {}, 'name'],
    ['a text that is too short', { name: 'A' }, 'name'],
    ['an address that is none', { name: 'Ada', mail: 'nowhere' }, 'mail'],
    ['a number that is too large', { name: 'Ada', size: 9 }, 'size'],
    ['a fraction', { name: 'Ada', size: 1.5 }, 'size'],
    ['what is no option', { name: 'Ada', plain: 'c' }, 'plain'],
    ['an option twice', { name: 'Ada', many: ['a', 'a'] }, 'many'],
    ['too many of them', { name: 'Ada', many: ['a', 'b'] }, 'many'],
    ['a day that there is not', { name: 'Ada', day: '2026-02-30' }, 'day'],
    ['a text that the pattern does not fit', { name: 'Ada', code: 'x' }, 'code'],
  ])('is not sent with %s', (_what, content, field) => {
    const made = form(
      {
        name: { type: 'string', minLength: 2 },
        mail: { type: 'string', format: 'email' },
        size: { type: 'integer', maximum: 5 },
        plain: { type: 'string', enum: ['a', 'b'] },
        many: { type: 'array', items: { enum: ['a', 'b'] }, maxItems: 1 },
        day: { type: 'string', format: 'date' },
        code: { type: 'string', pattern: '^[0-9]+$' },
      },
      ['name'],
    )
    const faults = made.check(content)
    expect(faults.map((fault) => fault.field || 'name')).toContain(field)
    expect(faults[0]?.message).not.toBe('')
    expect(made.check({ name: 'Ada', mail: 'a@b', day: '2026-02-28', code: '7' })).toEqual([])
  })

  test('is not sent with a field that nobody asked for', () => {
    expect(form({ a: { type: 'string' } }).check({ b: 'x' })).toHaveLength(1)
  })
})

test.each([
  ['email', 'a@b.c', 'a b@c'],
  ['uri', 'https://e.test/x', 'e.test'],
  ['date', '2024-02-29', '2023-02-29'],
  ['date-time', '2026-03-31T12:00:00.5+02:00', '2026-03-31T25:00:00Z'],
] as const)('a text is or is not of the format %s', (format, good, bad) => {
  expect(formatFault(format, good)).toBeUndefined()
  expect(formatFault(format, bad)).toMatch(/^must be /)
})

test('whatever a server sends as a form is a form or refused, and its defaults never hide a field', () => {
  const field = fc.oneof(
    fc.record(
      { type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'array', 'object') },
      { noNullPrototype: true },
    ),
    fc.record({ type: fc.constant('string'), enum: fc.array(fc.string()), default: fc.string() }),
    fc.record({ type: fc.constant('string'), default: fc.anything() }),
    fc.anything(),
  )
  fc.assert(
    fc.property(fc.dictionary(fc.string(), field), fc.anything(), (properties, required) => {
      try {
        const made = form(properties, required)
        expect(made.fields.map(({ name }) => name)).toEqual(Object.keys(properties))
        made.check(made.filled({}))
      } catch (error) {
        expect(error).toBeInstanceOf(RpcError)
      }
    }),
    { seed: 9 },
  )
})

function option(value: string, title: string = value) {
  return { value, title }
}
