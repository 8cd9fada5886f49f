import { isMap, joinPointer, parsePointer } from '@ext/kernel'
import { walkSchema } from '../registry/walk-schema.js'
import type { Changes, Part } from './adapted.js'
import { DATA, SCHEMA_MAPS } from './keywords.js'

/** So often a part may be put into itself before the rest is left open. */
const MAX_NESTED = 2
/** References to references to large parts would otherwise grow without end. */
const MAX_PARTS = 5000

const ABOUT_DOCUMENTS = new Set([
  '$defs',
  'definitions',
  '$schema',
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$comment',
  '$vocabulary',
])

/**
 * The same schema without references: each is replaced by what it leads to. A part that refers to itself is put in twice;
 * what is deeper may be anything.
 */
export function inlineReferences(schema: Part, changes: Changes): Part {
  let parts = 0

  function visit(value: unknown, pointer: string, open: readonly string[], isMapOfSchemas = false): unknown {
    if (Array.isArray(value)) return value.map((item, index) => visit(item, joinPointer(pointer, index), open))
    if (!isMap(value)) return value
    parts++
    const ref = isMapOfSchemas ? undefined : value['$ref']
    if (typeof ref === 'string') {
      const { $ref: _, ...beside } = value
      const target = lookUp(schema, ref)
      if (target === undefined) {
        changes.drop(pointer, `what ${ref} says, which is not a place in the schema`)
        return visit(beside, pointer, open)
      }
      if (open.filter((each) => each === ref).length >= MAX_NESTED || parts > MAX_PARTS) {
        changes.drop(pointer, `what ${ref} says where it is nested in itself`)
        return visit(beside, pointer, open)
      }
      const inlined = visit(target, ref.slice(1), [...open, ref])
      const others = visit(beside, pointer, open)
      return join(inlined, others)
    }
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => isMapOfSchemas || !ABOUT_DOCUMENTS.has(key))
        .map(([key, child]) => [
          key,
          !isMapOfSchemas && DATA.has(key)
            ? child
            : visit(child, joinPointer(pointer, key), open, !isMapOfSchemas && SCHEMA_MAPS.has(key)),
        ]),
    )
  }

  return visit(schema, '', []) as Part
}

/** What stands beside a reference holds as well; where both say something of the same kind, both have to hold. */
function join(inlined: unknown, beside: unknown): unknown {
  if (inlined === true) return beside
  if (!isMap(inlined) || !isMap(beside)) return inlined
  const clash = Object.keys(beside).some((key) => Object.hasOwn(inlined, key) && !ANNOTATIONS.has(key))
  return clash ? { ...pick(beside, ANNOTATIONS), allOf: [inlined, beside] } : { ...inlined, ...beside }
}

const ANNOTATIONS = new Set(['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'])

function pick(part: Readonly<Record<string, unknown>>, keys: ReadonlySet<string>): Part {
  return Object.fromEntries(Object.entries(part).filter(([key]) => keys.has(key)))
}

function lookUp(schema: Part, ref: string): unknown {
  if (ref === '#') return schema
  if (!ref.startsWith('#/')) return ref.startsWith('#') ? anchored(schema, ref.slice(1)) : undefined
  let value: unknown = schema
  for (const segment of parsePointer(decode(ref.slice(1)))) {
    if (Array.isArray(value)) value = value[Number(segment)]
    else if (isMap(value) && Object.hasOwn(value, segment)) value = value[segment]
    else return undefined
  }
  return value
}

function anchored(schema: Part, anchor: string): unknown {
  for (const { value } of walkSchema(schema)) {
    if (value['$anchor'] === anchor || value['$dynamicAnchor'] === anchor) return value
  }
  return undefined
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
