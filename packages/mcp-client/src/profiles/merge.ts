import { canonicalJson, isMap } from '@ext/kernel'
import type { Part } from './adapted.js'

const ANNOTATIONS = new Set(['title', 'description', 'default', 'examples'])

/** Keywords that look at each other, so that they mean something else in the company of those of another schema. */
const TOGETHER: readonly (readonly string[])[] = [
  ['items', 'prefixItems', 'additionalItems', 'unevaluatedItems'],
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
]

/**
 * One schema that says what two say together, or `undefined` if there is none in simple words. Whatever is valid under it
 * is valid under both, and the other way round.
 */
export function mergeBoth(a: Part, b: Part): Part | undefined {
  if (b['unevaluatedProperties'] !== undefined || TOGETHER.some((keys) => clashes(a, b, keys))) return undefined
  const merged: Part = { ...a }
  for (const [key, value] of Object.entries(b)) {
    const had = merged[key]
    if (had === undefined || ANNOTATIONS.has(key)) merged[key] = had ?? value
    else if (canonicalJson(had) === canonicalJson(value)) continue
    else {
      const joined = mergeKeyword(key, had, value)
      if (joined === undefined) return undefined
      merged[key] = joined
    }
  }
  // `additionalProperties` looks at the properties beside it, so it means something else in company.
  const isClosed = (part: Part) => part['additionalProperties'] !== undefined && part['additionalProperties'] !== true
  if (isClosed(a) !== isClosed(b) && !sameNames(a, b)) return undefined
  return isClosed(a) && isClosed(b) && !sameNames(a, b) ? undefined : merged
}

function clashes(a: Part, b: Part, keys: readonly string[]): boolean {
  const own = (part: Part) =>
    Object.fromEntries(keys.flatMap((key) => (part[key] === undefined ? [] : [[key, part[key]]])))
  const [ofA, ofB] = [own(a), own(b)]
  return Object.keys(ofA).length > 0 && Object.keys(ofB).length > 0 && canonicalJson(ofA) !== canonicalJson(ofB)
}

function sameNames(a: Part, b: Part): boolean {
  const names = (part: Part) => (isMap(part['properties']) ? Object.keys(part['properties']) : []).sort().join('\0')
  return names(a) === names(b) && a['patternProperties'] === undefined && b['patternProperties'] === undefined
}

function mergeKeyword(key: string, a: unknown, b: unknown): unknown {
  switch (key) {
    case 'type':
      return mergeTypes(a, b)
    case 'required':
      return Array.isArray(a) && Array.isArray(b) ? [...new Set([...a, ...b])] : undefined
    case 'properties':
      return isMap(a) && isMap(b) ? mergeMaps(a, b) : undefined
    case 'minimum':
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return typeof a === 'number' && typeof b === 'number' ? Math.max(a, b) : undefined
    case 'maximum':
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return typeof a === 'number' && typeof b === 'number' ? Math.min(a, b) : undefined
    case 'enum': {
      if (!Array.isArray(a) || !Array.isArray(b)) return undefined
      const other = new Set(b.map(canonicalJson))
      const both = a.filter((value) => other.has(canonicalJson(value)))
      return both.length === 0 ? undefined : both
    }
    default:
      return undefined
  }
}

function mergeTypes(a: unknown, b: unknown): unknown {
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])
  const both = list(a).filter((type) => list(b).includes(type) || (type === 'integer' && list(b).includes('number')))
  const narrower = list(b).filter(
    (type) => type === 'integer' && list(a).includes('number') && !both.includes('integer'),
  )
  const all = [...both, ...narrower]
  return all.length === 0 ? undefined : all.length === 1 ? all[0] : all
}

function mergeMaps(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): Part | undefined {
  const merged: Part = { ...a }
  for (const [name, value] of Object.entries(b)) {
    const had = Object.hasOwn(merged, name) ? merged[name] : undefined
    if (had === undefined || canonicalJson(had) === canonicalJson(value)) merged[name] = value
    else {
      const both = isMap(had) && isMap(value) ? mergeBoth({ ...had }, { ...value }) : undefined
      if (both === undefined) return undefined
      merged[name] = both
    }
  }
  return merged
}
