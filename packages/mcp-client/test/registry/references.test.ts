import { expect, test } from 'vitest'
import { danglingReference } from '../../src/registry/references.js'

test.each([
  ['the document itself', { $ref: '#' }],
  ['a definition', { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: {} } }],
  ['an item of a list', { anyOf: [{}, { $ref: '#/anyOf/0' }] }],
  ['a pointer with escapes', { $ref: '#/$defs/a~1b%20c', $defs: { 'a/b c': {} } }],
  ['an anchor', { $ref: '#here', $defs: { a: { $anchor: 'here' } } }],
  ['an anchor as draft-07 writes it', { $ref: '#here', definitions: { a: { $id: '#here' } } }],
  [
    'a part with an id of its own',
    { $ref: 'https://e.test/a.json#/x', $defs: { a: { $id: 'https://e.test/a.json' } } },
  ],
  ['a part by the end of its id', { $ref: 'a.json', $defs: { a: { $id: 'https://e.test/a.json' } } }],
  ['the root of the part it stands in', { $defs: { a: { $id: 'a', $ref: '#/$defs/b', $defs: { b: {} } } } }],
  ['data that only looks like a reference', { default: { $ref: '#/none' }, enum: [{ $ref: '#/none' }] }],
  ['a property that is called $ref', { properties: { $ref: { type: 'string' } } }],
  ['a boolean schema', { $ref: '#/$defs/a', $defs: { a: true } }],
])('a reference to %s leads somewhere', (_what, schema) => {
  expect(danglingReference(schema)).toBeUndefined()
})

test.each([
  ['a missing definition', { properties: { a: { $ref: '#/$defs/none' } } }],
  ['a name inherited from Object', { $ref: '#/constructor' }],
  ['a broken escape', { $ref: '#/%E0%A4%A' }],
  ['a missing anchor', { $ref: '#here' }],
  ['another document', { $ref: 'https://e.test/a.json' }],
  ['something in a property that is named like a keyword', { properties: { default: { $ref: '#/none' } } }],
])('a reference to %s is found', (_what, schema) => {
  expect(danglingReference(schema)).toBeDefined()
})

test('a schema as deep as JSON can be does not overflow the stack', () => {
  let schema: object = { $ref: '#/none' }
  for (let depth = 0; depth < 50_000; depth++) schema = { not: schema }
  expect(danglingReference(schema)?.ref).toBe('#/none')
})
