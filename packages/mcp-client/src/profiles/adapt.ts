import { isMap, joinPointer } from '@ext/kernel'
import type { JsonSchema } from '@ext/kernel/contract'
import { type Adapted, Changes, type Part, type Provider } from './adapted.js'
import { flattenTop } from './flatten.js'
import { toGemini } from './gemini.js'
import { inlineReferences } from './inline.js'
import { DATA, SCHEMA_MAPS } from './keywords.js'

/**
 * The input schema of a tool as a provider takes it. What a provider refuses costs a whole turn, so it is said in another
 * way, or left out and reported; calls are checked against the original all the same.
 */
export function adaptSchema(schema: JsonSchema, provider: Provider): Adapted {
  const changes = new Changes()
  switch (provider) {
    case 'anthropic': {
      const flat = flattenTop(topOf(schema, changes), changes)
      return result(withTakenNames(flat, changes), changes)
    }
    case 'openai':
      return result(
        { schema: withItems(withoutTop(flattenTop(topOf(schema, changes), changes), changes)) as Part },
        changes,
      )
    case 'gemini':
      return result(
        { schema: toGemini(flattenTop(inlineReferences({ ...schema }, changes), changes), '', changes) },
        changes,
      )
  }
}

function result(
  { schema, unusable }: { readonly schema: Part; readonly unusable?: string },
  changes: Changes,
): Adapted {
  const { length } = JSON.stringify(schema)
  const why =
    unusable ?? (length > MAX_LENGTH ? `its input schema has ${length} characters without references` : undefined)
  return { schema, changes: changes.found, ...(why === undefined ? {} : { unusable: why }) }
}

/** References put in make schemas longer; a model reads all of it in every turn. */
const MAX_LENGTH = 256 * 1024

/** References at the top, and in what is at the top together, have to be followed before it can be flattened. */
function topOf(schema: JsonSchema, changes: Changes): Part {
  const combined = ['allOf', 'oneOf', 'anyOf'].some((key) => Array.isArray(schema[key]))
  return combined || schema['$ref'] !== undefined ? inlineReferences({ ...schema }, changes) : { ...schema }
}

/** https://docs.anthropic.com/en/api/errors: names of properties have to match this pattern. */
const ANTHROPIC_NAME = /^[a-zA-Z0-9_.-]{1,64}$/

function withTakenNames(schema: Part, changes: Changes): { readonly schema: Part; readonly unusable?: string } {
  const { properties, required } = schema
  if (!isMap(properties)) return { schema }
  const refused = Object.keys(properties).filter((name) => !ANTHROPIC_NAME.test(name))
  if (refused.length === 0) return { schema }
  // Something may refer to what is left out.
  const whole = inlineReferences(schema, changes)
  for (const name of refused) {
    const pointer = joinPointer('/properties', name)
    const what = 'the property, whose name the provider refuses'
    if (schema['additionalProperties'] === false) changes.narrow(pointer, what)
    else changes.drop(pointer, what)
  }
  const needed = refused.find((name) => Array.isArray(required) && required.includes(name))
  const all = isMap(whole['properties']) ? whole['properties'] : {}
  const kept = Object.fromEntries(Object.entries(all).filter(([name]) => !refused.includes(name)))
  return {
    schema: { ...whole, properties: kept },
    ...(needed === undefined
      ? {}
      : { unusable: `it needs the property ${JSON.stringify(needed)}, whose name the provider refuses` }),
  }
}

/** What OpenAI refuses at the top besides alternatives. */
function withoutTop(schema: Part, changes: Changes): Part {
  const next: Part = { ...schema }
  for (const key of ['enum', 'not', 'const']) {
    if (next[key] === undefined) continue
    delete next[key]
    changes.drop(`/${key}`, `\`${key}\` of the whole input`)
  }
  return next
}

/**
 * OpenAI refuses an array that does not say what is in it, also where `prefixItems` does: report PrefectHQ/fastmcp#2464.
 */
function withItems(value: unknown, isMapOfSchemas = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withItems(item))
  if (!isMap(value)) return value
  const next = Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      const inMap = !isMapOfSchemas && SCHEMA_MAPS.has(key)
      return [key, !isMapOfSchemas && DATA.has(key) ? child : withItems(child, inMap)]
    }),
  )
  if (isMapOfSchemas) return next
  const { type, items } = next
  const isArray = type === 'array' || (Array.isArray(type) && type.includes('array'))
  return isArray && items === undefined ? { ...next, items: {} } : next
}
