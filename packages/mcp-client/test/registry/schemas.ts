/**
 * Input schemas as servers send them: what tools in public reports had (research notes on MCP, §4), and every way in which a
 * keyword can be wrong. With a part of the reason that is given for each.
 */
export const BROKEN_SCHEMAS: readonly (readonly [what: string, schema: unknown, reason: string])[] = [
  ['no `type`', { properties: { a: { type: 'string' } } }, 'is nothing, not the text "object"'],
  ['an empty `type`', { type: '' }, 'not the text "object"'],
  ['another `type`', { type: 'string' }, 'not the text "object"'],
  ['a `type` that is null', { type: null }, 'not the text "object"'],
  ['a list of types', { type: ['object'] }, 'not the text "object"'],
  ['the type null', { type: 'null', enum: ['A'] }, 'not the text "object"'],
  ['only a `oneOf`', { oneOf: [{ type: 'object' }] }, 'not the text "object"'],
  ['only a `$ref`', { $ref: '#/$defs/a', $defs: { a: { type: 'object' } } }, 'not the text "object"'],
  ['null in its place', null, 'is null, not a map'],
  ['a list in its place', [], 'not a map'],
  ['a text in its place', '{"type":"object"}', 'not a map'],
  ['a boolean in its place', true, 'not a map'],
  ['a number in its place', 7, 'not a map'],
  ['`properties` that are a list', { type: 'object', properties: [] }, '/properties must be object'],
  ['`properties` that are null', { type: 'object', properties: null }, '/properties must be object'],
  ['a property that is a text', { type: 'object', properties: { a: 'string' } }, '/properties/a must be object'],
  ['a property that is null', { type: 'object', properties: { a: null } }, '/properties/a must be object'],
  ['a property that is a list', { type: 'object', properties: { a: [] } }, '/properties/a must be object'],
  ['an unknown type inside', prop({ type: 'strng' }), '/properties/a/type'],
  ['a type with a capital letter', prop({ type: 'String' }), '/properties/a/type'],
  ['the type any', prop({ type: 'any' }), '/properties/a/type'],
  ['the type float', prop({ type: 'float' }), '/properties/a/type'],
  ['an empty list of types', prop({ type: [] }), '/properties/a/type'],
  ['a list with a type twice', prop({ type: ['string', 'string'] }), '/properties/a/type'],
  ['a type that is a number', prop({ type: 1 }), '/properties/a/type'],
  ['`required` that is true', { type: 'object', required: true }, '/required must be array'],
  ['`required` that is a text', { type: 'object', required: 'a' }, '/required must be array'],
  ['`required` with a number', { type: 'object', required: [1] }, '/required/0 must be string'],
  ['a name twice in `required`', { type: 'object', required: ['a', 'a'] }, '/required must NOT have duplicate items'],
  ['a property that says it is required itself', prop({ required: true }), '/properties/a/required must be array'],
  ['an `enum` that is a text', prop({ enum: 'a|b' }), '/properties/a/enum must be array'],
  ['an `enum` that is a map', prop({ enum: { a: 1 } }), '/properties/a/enum must be array'],
  [
    'an `enum` without a value of its type',
    prop({ type: 'null', enum: ['A'] }),
    'has an `enum` without a value of its `type` "null"',
  ],
  ['numbers in an `enum` of texts', prop({ type: 'string', enum: [1, 2] }), 'at /properties/a'],
  [
    'a pattern that is none',
    prop({ type: 'string', pattern: '[' }),
    'has the pattern "[", which is none at /properties/a',
  ],
  ['a pattern of another language', prop({ pattern: '(?i)abc' }), 'which is none'],
  ['a pattern that is a number', prop({ pattern: 1 }), '/properties/a/pattern must be string'],
  [
    'a key of `patternProperties` that is none',
    { type: 'object', patternProperties: { '(': {} } },
    'has the pattern "("',
  ],
  ['a `minimum` that is a text', prop({ minimum: '1' }), '/properties/a/minimum must be number'],
  [
    'an `exclusiveMinimum` that is true',
    prop({ minimum: 1, exclusiveMinimum: true }),
    'exclusiveMinimum must be number',
  ],
  ['a negative `minLength`', prop({ minLength: -1 }), '/properties/a/minLength must be >= 0'],
  ['a `maxItems` with a fraction', prop({ maxItems: 1.5 }), '/properties/a/maxItems must be integer'],
  ['a `multipleOf` of zero', prop({ multipleOf: 0 }), '/properties/a/multipleOf must be > 0'],
  ['`uniqueItems` that is a text', prop({ uniqueItems: 'yes' }), '/properties/a/uniqueItems must be boolean'],
  ['`items` that are a text', prop({ type: 'array', items: 'string' }), '/properties/a/items must be object'],
  ['`items` that are null', prop({ type: 'array', items: null }), '/properties/a/items must be object'],
  ['an empty `anyOf`', prop({ anyOf: [] }), '/properties/a/anyOf must NOT have fewer than 1 items'],
  ['an `anyOf` that is a map', prop({ anyOf: {} }), '/properties/a/anyOf must be array'],
  ['a text in an `allOf`', { type: 'object', allOf: ['a'] }, '/allOf/0 must be object'],
  [
    '`additionalProperties` that are a text',
    { type: 'object', additionalProperties: 'no' },
    '/additionalProperties must be object',
  ],
  [
    '`additionalProperties` that are null',
    { type: 'object', additionalProperties: null },
    '/additionalProperties must be object',
  ],
  ['`$defs` that are a list', { type: 'object', $defs: [] }, '/$defs must be object'],
  ['a `$ref` that is a number', prop({ $ref: 1 }), '/properties/a/$ref must be string'],
  ['a `$ref` to nothing', prop({ $ref: '#/$defs/none' }), 'refers to "#/$defs/none", which leads nowhere'],
  ['a `$ref` to another document', prop({ $ref: 'https://e.test/schema.json' }), 'which leads nowhere'],
  ['a `$ref` to a file', prop({ $ref: 'common.json#/a' }), 'which leads nowhere'],
  ['`description` that is a number', prop({ description: 1 }), '/properties/a/description must be string'],
]

/** Schemas that are unusual and fine. */
export const GOOD_SCHEMAS: readonly (readonly [what: string, schema: unknown])[] = [
  ['nothing but its type', { type: 'object' }],
  ['nothing at all', undefined],
  [
    'the dialect draft-07 and its words',
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      definitions: { a: {} },
      properties: { a: { items: [{}], additionalItems: false } },
    },
  ],
  ['a dialect from before draft-07', { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' }],
  ['a `oneOf` beside its type', { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] }],
  [
    'a recursive part',
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/t' } },
      $defs: { t: { properties: { t: { $ref: '#/$defs/t' } } } },
    },
  ],
  ['an `enum` with null beside texts', prop({ type: ['string', 'null'], enum: ['a', null] })],
  ['an empty `enum`', prop({ enum: [] })],
  ['a pattern with look-ahead', prop({ type: 'string', pattern: '^(?!x).*$' })],
  [
    'unknown words and formats',
    prop({ type: 'string', format: 'date-thing', 'x-note': 1, nullable: true, example: { $ref: '#/none' } }),
  ],
  [
    'properties that are named like keywords',
    {
      type: 'object',
      properties: { type: { type: 'string' }, enum: {}, $ref: { type: 'string' }, pattern: {}, required: {} },
    },
  ],
]

function prop(schema: unknown): unknown {
  return { type: 'object', properties: { a: schema } }
}
