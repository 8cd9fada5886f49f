import type { JsonObject, JsonValue, Tool } from '@ext/kernel/contract'
import { expectTypeOf, test } from 'vitest'
import { defineTool, type InputOf } from '../src/index.js'

test('the input of a tool has the type that its schema describes', () => {
  const tool = defineTool({
    name: 'T',
    description: 'd',
    kind: 'read',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        depth: { type: 'integer' },
        hidden: { type: 'boolean' },
        order: { enum: ['name', 'date'] },
        tags: { type: 'array', items: { type: 'string' } },
        range: { type: 'object', properties: { from: { type: 'number' } }, required: ['from'] },
        anything: {},
      },
      required: ['path', 'order'],
    },
    run: async (input) => {
      expectTypeOf(input.path).toEqualTypeOf<string>()
      expectTypeOf(input.depth).toEqualTypeOf<number | undefined>()
      expectTypeOf(input.hidden).toEqualTypeOf<boolean | undefined>()
      expectTypeOf(input.order).toEqualTypeOf<'name' | 'date'>()
      expectTypeOf(input.tags).toEqualTypeOf<readonly string[] | undefined>()
      expectTypeOf(input.range?.from).toEqualTypeOf<number | undefined>()
      expectTypeOf(input.anything).toEqualTypeOf<JsonValue | undefined>()
      // @ts-expect-error no such property
      input.nope
      return 'ok'
    },
  })
  expectTypeOf(tool).toEqualTypeOf<Tool>()
})

test('a schema without properties takes any object', () => {
  expectTypeOf<InputOf<{ type: 'object' }>>().toEqualTypeOf<JsonObject>()
})
