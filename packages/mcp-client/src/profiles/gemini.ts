import { isMap, joinPointer } from '@ext/kernel'
import { type Changes, describeIn, type Part } from './adapted.js'
import { foldAll } from './flatten.js'

/** What Gemini's form of a schema has, and takes as it is. https://ai.google.dev/api/caching#Schema */
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
  'required',
])
/** Other values are refused; they are notes that nobody checks, so nothing is lost without them. */
const FORMATS = new Set(['float', 'double', 'int32', 'int64', 'enum', 'date-time'])
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

/** A schema, without references, in the part of OpenAPI that Gemini takes. */
export function toGemini(schema: Part, pointer: string, changes: Changes): Part {
  const whole = foldAll(schema, pointer, changes)
  const { type, ...rest } = whole
  if (Array.isArray(type)) return manyTypes(rest, type, pointer, changes)
  let part: Part = {}
  for (const [key, value] of Object.entries(whole)) {
    const place = joinPointer(pointer, key)
    if (TAKEN.has(key)) part[key] = value
    else if (key === 'format') {
      if (typeof value === 'string' && FORMATS.has(value)) part[key] = value
    } else if (!HANDLED.has(key) && !QUIET.has(key) && !key.startsWith('x-')) changes.drop(place, `\`${key}\``)
  }
  if (typeof type === 'string') part['type'] = type
  part = values(part, whole, pointer, changes)
  part = bounds(part, whole, pointer, changes)
  part = contents(part, whole, pointer, changes)
  part = alternatives(part, whole, pointer, changes)
  return withType(part, pointer, changes)
}

const HANDLED = new Set([
  'type',
  'const',
  'enum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'items',
  'prefixItems',
  'properties',
  'additionalProperties',
  'anyOf',
  'oneOf',
  'allOf',
])

/** Each keyword speaks about values of its own type, so an alternative for each type says the same. */
function manyTypes(rest: Part, types: readonly unknown[], pointer: string, changes: Changes): Part {
  const others = types.filter((type) => type !== 'null')
  const nullable = others.length < types.length ? { nullable: true } : {}
  const { enum: allowed, description, title, default: preset, ...about } = rest
  const shown = { ...pick({ description, title, default: preset }), ...nullable }
  if (others.length === 0) return { ...shown, ...toGemini({ ...about, type: 'null' }, pointer, changes) }
  const choices = others.map((type) => {
    const fitting = Array.isArray(allowed)
      ? {
          enum: allowed.filter((value) => typeOf(value) === type || (type === 'number' && typeOf(value) === 'integer')),
        }
      : {}
    return toGemini({ ...about, ...fitting, type }, pointer, changes)
  })
  return choices.length === 1 ? { ...shown, ...choices[0] } : { ...shown, anyOf: choices }
}

function pick(part: Part): Part {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined))
}

/** `enum` may hold texts only, and there is no `const`. */
function values(part: Part, { const: only, enum: listed, type }: Part, pointer: string, changes: Changes): Part {
  const allowed = only !== undefined ? [only] : Array.isArray(listed) ? listed : undefined
  if (!allowed) return part
  const texts = allowed.filter((value) => typeof value === 'string')
  const nullable = allowed.includes(null) ? { nullable: true } : {}
  if (
    texts.length > 0 &&
    texts.length === allowed.filter((value) => value !== null).length &&
    (type === undefined || type === 'string')
  ) {
    if (!texts.includes('')) return { ...part, ...nullable, type: 'string', enum: texts }
  }
  const words = allowed.map((value) => JSON.stringify(value)).join(', ')
  changes.drop(
    joinPointer(pointer, only === undefined ? 'enum' : 'const'),
    'the list of values, since only lists of texts are taken; it is said in words',
  )
  const types = new Set(allowed.map(typeOf))
  const known = part['type'] ?? (types.size === 1 && !types.has('null') ? [...types][0] : undefined)
  return describeIn({ ...part, ...(known === undefined ? {} : { type: known }) }, `One of: ${words}.`)
}

/** There are no exclusive bounds; of whole numbers the next one is meant. */
function bounds(part: Part, whole: Part, pointer: string, changes: Changes): Part {
  const next: Part = { ...part }
  for (const [exclusive, inclusive, step] of [
    ['exclusiveMinimum', 'minimum', 1],
    ['exclusiveMaximum', 'maximum', -1],
  ] as const) {
    const bound = whole[exclusive]
    if (typeof bound !== 'number') continue
    const other = next[inclusive]
    const isWhole = whole['type'] === 'integer'
    const exact = isWhole
      ? Number.isInteger(bound)
        ? bound + step
        : step > 0
          ? Math.ceil(bound)
          : Math.floor(bound)
      : bound
    if (!isWhole) changes.drop(joinPointer(pointer, exclusive), `that ${bound} itself is not meant`)
    next[inclusive] = typeof other !== 'number' ? exact : step > 0 ? Math.max(other, exact) : Math.min(other, exact)
  }
  return next
}

function contents(part: Part, whole: Part, pointer: string, changes: Changes): Part {
  const next: Part = { ...part }
  const { items, prefixItems, properties, additionalProperties } = whole
  const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined
  if (tuple) {
    changes.drop(joinPointer(pointer, Array.isArray(prefixItems) ? 'prefixItems' : 'items'), 'which item stands where')
    const choices = tuple
      .filter(isMap)
      .map((item, index) => toGemini({ ...item }, `${pointer}/items/${index}`, changes))
    next['items'] = choices.length === 1 ? choices[0] : choices.length === 0 ? { type: 'string' } : { anyOf: choices }
  } else if (isMap(items)) next['items'] = toGemini({ ...items }, joinPointer(pointer, 'items'), changes)
  else if (whole['type'] === 'array') {
    next['items'] = { type: 'string' }
    changes.narrow(pointer, 'items that may be anything are texts')
  }
  if (isMap(properties)) {
    const at = joinPointer(pointer, 'properties')
    next['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, value]) => [
        name,
        toGemini(isMap(value) ? { ...value } : {}, joinPointer(at, name), changes),
      ]),
    )
  }
  const others = joinPointer(pointer, 'additionalProperties')
  if (additionalProperties === false) changes.drop(others, 'that nothing else may be given')
  else if (isMap(additionalProperties)) changes.drop(others, 'what other properties may be')
  return next
}

function alternatives(part: Part, { anyOf, oneOf }: Part, pointer: string, changes: Changes): Part {
  let next = part
  for (const [key, list] of [
    ['anyOf', anyOf],
    ['oneOf', oneOf],
  ] as const) {
    if (!Array.isArray(list)) continue
    const at = joinPointer(pointer, key)
    if (next['anyOf'] !== undefined) {
      changes.drop(at, `\`${key}\` beside \`anyOf\``)
      continue
    }
    const isNull = (each: unknown) => isMap(each) && each['type'] === 'null' && Object.keys(each).length === 1
    const others = list.filter((each) => !isNull(each))
    if (others.length < list.length) next = { ...next, nullable: true }
    if (key === 'oneOf' && others.length > 1) changes.drop(at, 'that only one of the alternatives may hold')
    const choices = others.map((each, index) =>
      toGemini(isMap(each) ? { ...each } : {}, joinPointer(at, index), changes),
    )
    const [only] = choices
    if (choices.length === 1 && only && next['type'] === undefined) next = { ...only, ...next }
    else if (choices.length > 0) next = { ...next, anyOf: choices }
  }
  return next
}

/** A schema without a type is refused. */
function withType(part: Part, pointer: string, changes: Changes): Part {
  if (part['type'] !== undefined || part['anyOf'] !== undefined) return part
  if (part['properties'] !== undefined) return { ...part, type: 'object' }
  if (part['items'] !== undefined) return { ...part, type: 'array' }
  changes.narrow(pointer, 'what may be anything is a text')
  return { ...part, type: 'string' }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}
