import type { JsonSchema } from '@ext/kernel/contract'

/**
 * Input schemas in the forms in which servers send them: written by hand, made by zod, pydantic, TypeBox, Go's and Rust's
 * generators, and those of public reports (research notes on MCP, §4, reports 15 to 19).
 */
export const CORPUS: readonly (readonly [what: string, schema: JsonSchema])[] = [
  ['a tool without arguments', { type: 'object' }],
  ['a tool with closed, empty arguments', { type: 'object', properties: {}, additionalProperties: false }],
  [
    'a tool written with zod',
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Where.' },
        limit: { type: 'integer', exclusiveMinimum: 0, maximum: 100, default: 10 },
        kind: { type: 'string', enum: ['file', 'folder'] },
        mode: {
          anyOf: [
            { type: 'string', const: 'fast' },
            { type: 'string', const: 'slow' },
          ],
        },
      },
      required: ['path'],
      additionalProperties: false,
    },
  ],
  [
    'a tool written with pydantic',
    {
      type: 'object',
      $defs: {
        Point: {
          type: 'object',
          title: 'Point',
          properties: { x: { type: 'number' }, y: { type: 'number' } },
          required: ['x', 'y'],
        },
      },
      properties: {
        at: { $ref: '#/$defs/Point', description: 'Where.' },
        path: { type: 'array', items: { $ref: '#/$defs/Point' }, minItems: 2 },
        note: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null, title: 'Note' },
      },
      required: ['at'],
      title: 'drawArguments',
    },
  ],
  [
    'a tree',
    {
      type: 'object',
      properties: { root: { $ref: '#/$defs/node' } },
      $defs: {
        node: {
          type: 'object',
          properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
          required: ['name'],
        },
      },
    },
  ],
  [
    'types in a list',
    { type: 'object', properties: { id: { type: ['string', 'integer', 'null'], description: 'Any id.' } } },
  ],
  ['an enum with null', { type: 'object', properties: { size: { type: ['string', 'null'], enum: ['s', 'm', null] } } }],
  [
    'an enum of numbers',
    { type: 'object', properties: { level: { type: 'integer', enum: [1, 2, 3], description: 'How loud.' } } },
  ],
  ['an enum with an empty text', { type: 'object', properties: { unit: { type: 'string', enum: ['', 'km'] } } }],
  [
    'a constant',
    { type: 'object', properties: { version: { const: 2 }, kind: { const: 'x' } }, required: ['version', 'kind'] },
  ],
  [
    'alternatives at the top',
    {
      type: 'object',
      properties: { id: { type: 'string' }, name: { type: 'string' } },
      oneOf: [{ required: ['id'] }, { required: ['name'] }],
    },
  ],
  [
    'alternatives with properties of their own at the top',
    {
      type: 'object',
      description: 'Draws.',
      anyOf: [
        { title: 'Circle', properties: { kind: { const: 'circle' }, r: { type: 'number' } }, required: ['kind', 'r'] },
        { title: 'Square', properties: { kind: { const: 'square' }, a: { type: 'number' } }, required: ['kind', 'a'] },
      ],
    },
  ],
  [
    'parts that are put together at the top',
    {
      type: 'object',
      allOf: [
        { properties: { a: { type: 'string', minLength: 1 } }, required: ['a'] },
        { properties: { a: { type: 'string', minLength: 3 }, b: { type: 'number' } } },
      ],
    },
  ],
  [
    'a property that is put together',
    { type: 'object', properties: { a: { allOf: [{ type: 'string' }, { minLength: 2 }] } } },
  ],
  [
    'parts that do not go together in simple words',
    { type: 'object', properties: { a: { allOf: [{ pattern: '^a' }, { pattern: 'z$' }], type: 'string' } } },
  ],
  [
    'a discriminated union',
    {
      type: 'object',
      properties: {
        shape: {
          oneOf: [
            { type: 'object', properties: { t: { const: 'a' } }, required: ['t'] },
            { type: 'object', properties: { t: { const: 'b' } }, required: ['t'] },
          ],
        },
      },
    },
  ],
  [
    'an array that does not say what is in it',
    { type: 'object', properties: { items: { type: 'array' } }, required: ['items'] },
  ],
  [
    'a pair',
    {
      type: 'object',
      properties: {
        at: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }], items: false, minItems: 2 },
      },
    },
  ],
  ['a map', { type: 'object', properties: { env: { type: 'object', additionalProperties: { type: 'string' } } } }],
  ['anything', { type: 'object', properties: { value: {}, other: { description: 'Whatever.' } } }],
  [
    'bounds of numbers',
    {
      type: 'object',
      properties: {
        p: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
        n: { type: 'integer', exclusiveMinimum: 2.5, minimum: 1 },
      },
    },
  ],
  [
    'rules between properties',
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      dependentRequired: { a: ['b'] },
      not: { required: ['c'] },
    },
  ],
  [
    'a condition',
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      if: { required: ['a'] },
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
      then: { required: ['b'] },
    },
  ],
  [
    'formats and patterns',
    {
      type: 'object',
      properties: {
        url: { type: 'string', format: 'uri' },
        at: { type: 'string', format: 'date-time' },
        id: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 9 },
      },
    },
  ],
  [
    'names that a provider refuses',
    { type: 'object', properties: { 'content type': { type: 'string' }, ok: { type: 'string' } } },
  ],
  [
    'a needed name that a provider refuses',
    { type: 'object', properties: { größe: { type: 'string' } }, required: ['größe'] },
  ],
  [
    'properties that are named like keywords',
    {
      type: 'object',
      properties: {
        type: { type: 'string' },
        enum: { type: 'array' },
        default: { type: 'array' },
        const: {},
        $ref: { type: 'string' },
      },
    },
  ],
  [
    'a type with null and a list without it',
    {
      type: 'object',
      properties: { a: { type: ['string', 'null'], enum: ['x'] }, b: { type: ['string', 'integer'], enum: ['x'] } },
    },
  ],
  [
    'alternatives with something beside them',
    {
      type: 'object',
      properties: {
        a: {
          type: 'object',
          description: 'Which one.',
          properties: { id: { type: 'string' }, name: { type: 'string' } },
          anyOf: [{ required: ['id'] }, { required: ['name'] }],
        },
        b: { anyOf: [{ type: 'string' }, { type: 'integer' }], description: 'A text or a number.', default: 1 },
      },
    },
  ],
  [
    'a pair of a generator that does not close it',
    {
      type: 'object',
      properties: {
        size: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }], minItems: 2, maxItems: 2 },
        more: { type: 'array', prefixItems: [{ type: 'number' }], items: { type: 'boolean' } },
        none: { type: 'array', items: false },
      },
    },
  ],
  [
    'names that have to be given and are not described',
    {
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'object', required: ['type'] } } },
      required: ['x'],
    },
  ],
  ['an object that may hold nothing', { type: 'object', properties: { a: { type: 'object', properties: {} } } }],
  [
    'true and false as schemas',
    {
      type: 'object',
      properties: { any: true, none: false, ref: { $ref: '#/$defs/any', minLength: 2 } },
      $defs: { any: true },
    },
  ],
  [
    'an anchor, and alternatives at the top that anything fits',
    {
      type: 'object',
      properties: { a: { $ref: '#text' } },
      anyOf: [true, { required: ['a'] }],
      $defs: { text: { $anchor: 'text', type: 'string', minLength: 2 } },
    },
  ],
  [
    'a common part in each alternative at the top',
    {
      type: 'object',
      oneOf: [
        { allOf: [{ $ref: '#/$defs/base' }, { properties: { b: { type: 'number' } }, required: ['b'] }] },
        { allOf: [{ $ref: '#/$defs/base' }, { properties: { c: { type: 'number' } }, required: ['c'] }] },
      ],
      $defs: { base: { properties: { a: { type: 'string' } }, required: ['a'] } },
    },
  ],
  [
    'a refused name that something refers to',
    {
      type: 'object',
      properties: { 'content type': { type: 'string' }, other: { $ref: '#/properties/content%20type' } },
    },
  ],
  ['formats of other types', { type: 'object', properties: { a: { type: 'string', format: 'float' } } }],
  [
    'what other generators add',
    {
      type: 'object',
      'x-order': 1,
      properties: { a: { type: 'string', nullable: true, example: 'b', deprecated: true, 'x-ui': 'wide' } },
    },
  ],
]
