import { isMap, joinPointer } from '@ext/kernel'
import { DATA, SCHEMA_MAPS } from '../profiles/keywords.js'

/** A part of a schema that is a schema of its own. */
export interface SubSchema {
  readonly value: Readonly<Record<string, unknown>>
  /** The schema that `#` stands for here: the nearest one around with an `$id` of its own. */
  readonly root: unknown
  readonly pointer: string
}

/** A schema and all schemas in it, in no order that matters. Goes as deep as they do, without recursion. */
export function* walkSchema(schema: unknown): Generator<SubSchema> {
  const todo: (Omit<SubSchema, 'value'> & { readonly value: unknown; readonly isMapOfSchemas: boolean })[] = [
    { value: schema, root: schema, isMapOfSchemas: false, pointer: '' },
  ]
  for (let node = todo.pop(); node; node = todo.pop()) {
    const { value, isMapOfSchemas, pointer } = node
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        todo.push({
          ...node,
          value: item,
          isMapOfSchemas: false,
          pointer: joinPointer(pointer, index),
        })
      }
    }
    if (!isMap(value)) continue
    let { root } = node
    if (!isMapOfSchemas) {
      const { $id } = value
      if (typeof $id === 'string' && !$id.startsWith('#')) root = value
      yield { value, root, pointer }
    }
    for (const [key, child] of Object.entries(value)) {
      if (!isMapOfSchemas && DATA.has(key)) continue
      const inMap = !isMapOfSchemas && SCHEMA_MAPS.has(key)
      todo.push({ value: child, root, isMapOfSchemas: inMap, pointer: joinPointer(pointer, key) })
    }
  }
}
