import { createSchemaValidator } from '@ext/kernel/ajv'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPlainSchema } from '../../src/registry/plain-schema.js'

const validator = await createSchemaValidator()

const keyword = fc.constantFrom(
  ...['$schema', '$ref', 'title', 'description', 'default', 'examples', 'readOnly', 'type', 'enum', 'const', 'format'],
  ...[
    'pattern',
    'minLength',
    'minimum',
    'exclusiveMaximum',
    'multipleOf',
    'items',
    'maxItems',
    'uniqueItems',
    'required',
  ],
  ...[
    'properties',
    'additionalProperties',
    'anyOf',
    'oneOf',
    'not',
    '$defs',
    'definitions',
    'minProperties',
    '$id',
    'if',
  ],
  ...['dependentRequired', 'prefixItems', 'nullable', 'contains', '$anchor'],
)
const { schema } = fc.letrec<{ schema: unknown; value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>('string', 'object', 'no-type', '', true, 0, 1, -1, 1.5, null),
    fc.constantFrom<unknown>([], ['string', 'null'], ['a', 'b'], ['a', 'a'], [1, 1], ['string', 'string']),
    tie('schema'),
    fc.array(tie('schema'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__x'), tie('schema'), { maxKeys: 2 }),
  ),
  schema: fc.oneof({ depthSize: 'small' }, fc.boolean(), fc.dictionary(keyword, tie('value'), { maxKeys: 4 })),
}))

test('a schema that is called plain is one in every dialect', () => {
  let plain = 0
  fc.assert(
    fc.property(schema, (made) => {
      if (typeof made !== 'object' || made === null) return
      const { $schema: _dialect, ...rest } = made as Record<string, unknown>
      if (!isPlainSchema(rest)) return
      plain++
      for (const $schema of [
        '',
        'http://json-schema.org/draft-07/schema#',
        'https://json-schema.org/draft/2019-09/schema',
      ]) {
        expect(validator.check({ ...rest, $schema })).toBeUndefined()
      }
    }),
    { seed: 7, numRuns: 5000 },
  )
  expect(plain).toBeGreaterThan(300)
})

test.each<[string, Record<string, unknown>]>([
  ['a type that does not exist', { type: 'text' }],
  ['a list of no types', { type: [] }],
  ['the same name twice', { required: ['a', 'a'] }],
  ['no alternatives', { anyOf: [] }],
  ['a property that is no schema', { properties: { a: 'string' } }],
  ['a negative length', { minLength: -1 }],
  ['a keyword that nobody here knows', { 'x-order': 1 }],
  ['a name of its own', { $id: 'https://e.test/a' }],
  ['an endless depth', Array.from({ length: 100 }).reduce<Record<string, unknown>>((items) => ({ items }), {})],
])('%s is not called plain', (_what, made) => {
  expect(isPlainSchema(made)).toBe(false)
})

test('what servers usually send is plain', () => {
  const usual = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      path: { type: 'string', description: 'A path.', minLength: 1 },
      edits: { type: 'array', items: { type: 'object', properties: { old: { type: 'string' } }, required: ['old'] } },
      mode: { enum: ['a', 'b'], default: 'a' },
      limit: { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }] },
    },
    required: ['path'],
    additionalProperties: false,
  }
  expect(isPlainSchema(usual)).toBe(true)
})
