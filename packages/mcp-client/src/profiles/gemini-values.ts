import { joinPointer } from '@ext/kernel'
import { type Changes, describeIn, type Part } from './adapted.js'

/** Other values are refused; they are notes that nobody checks, so nothing is lost without them. */
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
  string: ['enum', 'date-time'],
}

/** @param part of which the type is known */
export function withFormat(part: Part, { format }: Part): Part {
  const known = FORMATS[String(part['type'])] ?? []
  return typeof format === 'string' && known.includes(format) ? { ...part, format } : part
}

/** `enum` may hold texts only, and there is no `const`. */
export function values(part: Part, { const: only, enum: listed, type }: Part, pointer: string, changes: Changes): Part {
  const allowed = only !== undefined ? [only] : Array.isArray(listed) ? listed : undefined
  if (!allowed) return part
  if (only !== undefined && Array.isArray(listed)) changes.drop(joinPointer(pointer, 'enum'), '`enum` beside `const`')
  const others = allowed.filter((value) => value !== null)
  const isOfTexts = others.length > 0 && others.every((value) => typeof value === 'string' && value !== '')
  if (isOfTexts && (type === undefined || type === 'string')) {
    const takesNull = type === undefined && others.length < allowed.length
    return { ...part, ...(takesNull ? { nullable: true } : {}), type: 'string', enum: others }
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
export function bounds(part: Part, whole: Part, pointer: string, changes: Changes): Part {
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

/** The word of JSON Schema for what a value is. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}
