import { isMap, joinPointer } from '@ext/kernel'
import type { Changes, Part } from './adapted.js'
import { foldAll } from './flatten.js'
import { bounds, typeOf, values, withFormat } from './gemini-values.js'
import { mergeBoth } from './merge.js'

/**
 * What Gemini's form of a schema has, and takes as it is. https://ai.google.dev/api/caching#Schema. What it refuses besides
 * stands in public reports: `anyOf` beside anything else (anomalyco/opencode#14659), names in `required` that are no properties
 * (Kilo-Org/kilocode#11955), and an object with empty `properties` (agno-agi/agno#2112).
 */
const TAKEN = new Set([
  'title',
  'description',
  'default',
  'nullable',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'pattern',
])
/** Words about the schema, not about the value. */
const QUIET = new Set([
  '$comment',
  'examples',
  'example',
  'deprecated',
  'readOnly',
  'writeOnly',
  'contentEncoding',
  'contentMediaType',
])
const HANDLED = new Set([
  'type',
  'format',
  'const',
  'enum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'items',
  'prefixItems',
  'properties',
  'required',
  'additionalProperties',
  'anyOf',
  'oneOf',
  'allOf',
])

/** A schema, without references, in the part of OpenAPI that Gemini takes. */
export function toGemini(schema: Part, pointer: string, changes: Changes): Part {
  const folded = foldAll(schema, pointer, changes)
  const whole = Array.isArray(folded['type']) ? oneType(folded, folded['type'], pointer, changes) : folded
  for (const key of ['anyOf', 'oneOf'] as const) {
    const list = whole[key]
    if (Array.isArray(list)) return alternatives(whole, key, list, pointer, changes)
  }
  let part: Part = {}
  for (const [key, value] of Object.entries(whole)) {
    if (TAKEN.has(key)) part[key] = value
    else if (!HANDLED.has(key) && !QUIET.has(key) && !key.startsWith('x-')) {
      changes.drop(joinPointer(pointer, key), `\`${key}\``)
    }
  }
  if (typeof whole['type'] === 'string') part['type'] = whole['type']
  part = values(part, whole, pointer, changes)
  part = bounds(part, whole, pointer, changes)
  part = withItems(part, whole, pointer, changes)
  part = withProperties(part, whole, pointer, changes)
  part = withType(part, pointer, changes)
  return withFormat(part, whole)
}

/** Each keyword speaks about values of its own type, so an alternative for each type says the same. */
function oneType(whole: Part, types: readonly unknown[], pointer: string, changes: Changes): Part {
  const { type: _, enum: listed, const: only, ...rest } = whole
  const allowed = only !== undefined ? [only] : Array.isArray(listed) ? listed : undefined
  const fits = (value: unknown, type: unknown) =>
    typeOf(value) === type || (type === 'number' && typeOf(value) === 'integer')
  const choices = types.flatMap((type): readonly Part[] => {
    if (type === 'null') return []
    const fitting = allowed?.filter((value) => fits(value, type))
    if (fitting?.length === 0) return []
    return [{ type, ...(fitting ? { enum: fitting } : {}) }]
  })
  const takesNull = types.includes('null') && (allowed === undefined || allowed.includes(null))
  const [first, second] = choices
  if (!first) {
    if (!takesNull) changes.drop(joinPointer(pointer, 'type'), 'the types, of which no value that is listed is one')
    return { ...rest, type: 'null' }
  }
  if (!second) return { ...rest, ...first, ...(takesNull ? { nullable: true } : {}) }
  // What else is said stands with each of them, as with alternatives that were written.
  const { anyOf, oneOf } = rest
  if (anyOf !== undefined || oneOf !== undefined) {
    changes.drop(joinPointer(pointer, 'type'), 'the types beside alternatives')
    return rest
  }
  return { ...rest, anyOf: takesNull ? [...choices, { type: 'null' }] : choices }
}

/**
 * Alternatives stand alone: what is said beside them is said in each of them. The places of changes are those of the
 * alternatives.
 */
function alternatives(
  whole: Part,
  key: 'anyOf' | 'oneOf',
  list: readonly unknown[],
  pointer: string,
  changes: Changes,
): Part {
  const { [key]: _, oneOf: second, title, description, default: _preset, nullable, ...beside } = whole
  const at = joinPointer(pointer, key)
  if (key === 'anyOf' && second !== undefined) {
    changes.drop(joinPointer(pointer, 'oneOf'), '`oneOf` beside `anyOf`')
  }
  const base = open(beside, pointer, changes)
  const isNull = (each: unknown) => isMap(each) && each['type'] === 'null' && Object.keys(each).length === 1
  const others = list.filter((each) => !isNull(each) && each !== false)
  const takesNull = nullable === true || others.length < list.filter((each) => each !== false).length
  if (key === 'oneOf' && others.length > 1) changes.drop(at, 'that only one of the alternatives may hold')
  const choices = others.map((each, index) => {
    const place = joinPointer(at, index)
    const alternative = isMap(each) ? open({ ...each }, place, changes) : {}
    const both = mergeBoth(alternative, base)
    if (!both) changes.drop(place, 'this alternative, since it can not be said together with what stands beside it')
    return toGemini(both ?? base, place, changes)
  })
  const [first, ...more] = choices
  const said = { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) }
  if (!first) return withType({ ...said, ...(takesNull ? { type: 'null' } : {}) }, pointer, changes)
  const null_ = takesNull ? { nullable: true } : {}
  if (more.length === 0) return first['anyOf'] === undefined ? { ...first, ...said, ...null_ } : first
  const flat = choices.flatMap((choice) => (Array.isArray(choice['anyOf']) ? (choice['anyOf'] as Part[]) : [choice]))
  return {
    anyOf: flat.map((choice, index) => ({
      ...(typeof description === 'string' && (index === 0 || choice['description'] === undefined)
        ? describeFirst(choice, description)
        : choice),
      ...(index === 0 ? null_ : {}),
    })),
  }
}

/** What is said of all alternatives stands before what is said of one. */
function describeFirst(choice: Part, sentence: string): Part {
  const { description } = choice
  if (typeof description !== 'string' || description === sentence) return { ...choice, description: sentence }
  return { ...choice, description: `${sentence} ${description}` }
}

/** That nothing else may be given can't be said, and would be in the way of putting schemas together. */
function open(part: Part, pointer: string, changes: Changes): Part {
  const { additionalProperties, ...rest } = part
  sayOpen(additionalProperties, pointer, changes)
  return rest
}

function sayOpen(additionalProperties: unknown, pointer: string, changes: Changes): void {
  const others = joinPointer(pointer, 'additionalProperties')
  if (additionalProperties === false) changes.drop(others, 'that nothing else may be given')
  else if (isMap(additionalProperties)) changes.drop(others, 'what other properties may be')
}

function withItems(part: Part, whole: Part, pointer: string, changes: Changes): Part {
  const { items, prefixItems, maxItems } = whole
  const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined
  if (tuple) {
    const key = Array.isArray(prefixItems) ? 'prefixItems' : 'items'
    const rest = key === 'prefixItems' ? items : whole['additionalItems']
    changes.drop(joinPointer(pointer, key), 'which item stands where')
    const isWhole = rest === false || (typeof maxItems === 'number' && maxItems <= tuple.length)
    const described = [...tuple, ...(isMap(rest) && !isWhole ? [rest] : [])].filter(isMap)
    if (described.length < tuple.length || (!isWhole && !isMap(rest))) {
      changes.narrow(pointer, 'items that may be anything are as those that are described')
    }
    const choices = described.map((item, index) => toGemini({ ...item }, `${pointer}/items/${index}`, changes))
    const [first, ...more] = choices
    const flat = choices.flatMap((choice) => (Array.isArray(choice['anyOf']) ? (choice['anyOf'] as Part[]) : [choice]))
    return { ...part, items: more.length > 0 ? { anyOf: flat } : (first ?? { type: 'string' }) }
  }
  if (isMap(items)) return { ...part, items: toGemini({ ...items }, joinPointer(pointer, 'items'), changes) }
  if (whole['type'] !== 'array' && items === undefined) return part
  if (items === false) changes.drop(joinPointer(pointer, 'items'), 'that there are no items')
  else changes.narrow(pointer, 'items that may be anything are texts')
  return { ...part, items: { type: 'string' } }
}

function withProperties(part: Part, whole: Part, pointer: string, changes: Changes): Part {
  const { properties, required, additionalProperties } = whole
  sayOpen(additionalProperties, pointer, changes)
  const at = joinPointer(pointer, 'properties')
  const described = Object.entries(isMap(properties) ? properties : {}).flatMap(([name, value]) => {
    const place = joinPointer(at, name)
    if (value === false) changes.drop(place, 'that the property may not be given')
    return value === false ? [] : [[name, toGemini(isMap(value) ? { ...value } : {}, place, changes)] as const]
  })
  // At the top it stays, for whoever makes the request of it.
  const isShown = isMap(properties) && (described.length > 0 || pointer === '')
  const names = new Set(described.map(([name]) => name))
  const needed = Array.isArray(required) ? required : []
  const kept = needed.filter((name) => names.has(name))
  if (kept.length < needed.length) {
    const missing = needed.filter((name) => !names.has(name)).map((name) => JSON.stringify(name))
    changes.drop(
      joinPointer(pointer, 'required'),
      `that ${missing.join(', ')} has to be given, which it does not describe`,
    )
  }
  return {
    ...part,
    ...(isShown ? { properties: Object.fromEntries(described) } : {}),
    ...(kept.length > 0 ? { required: kept } : {}),
  }
}

/** A schema without a type is refused. */
function withType(part: Part, pointer: string, changes: Changes): Part {
  if (part['type'] !== undefined || part['anyOf'] !== undefined) return part
  if (part['properties'] !== undefined) return narrowed(part, 'object', pointer, changes)
  if (part['items'] !== undefined) return narrowed(part, 'array', pointer, changes)
  return narrowed(part, 'string', pointer, changes)
}

function narrowed(part: Part, type: 'object' | 'array' | 'string', pointer: string, changes: Changes): Part {
  changes.narrow(pointer, `what may be anything is ${WORDS[type]}`)
  return { ...part, type }
}

const WORDS = { object: 'an object', array: 'a list', string: 'a text' } as const
