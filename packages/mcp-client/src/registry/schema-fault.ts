import { describe, isMap } from '@ext/kernel'
import type { SchemaValidator } from '@ext/kernel/ajv'
import { isPlainSchema } from './plain-schema.js'
import { danglingReference } from './references.js'
import { walkSchema } from './walk-schema.js'

/**
 * Why an input schema can't be offered, as the rest of a sentence about the tool; `undefined` if it can. Providers refuse a
 * whole turn for one schema that is none, so what they would refuse is found here.
 */
export function schemaFault(schema: unknown, validator: Pick<SchemaValidator, 'check'>): string | undefined {
  if (schema === undefined) return undefined
  if (!isMap(schema)) return `its input schema is ${describe(schema)}, not a map`
  if (schema['type'] !== 'object') {
    return `the \`type\` of its input schema is ${describe(schema['type'])}, not the text "object"`
  }
  const broken = brokenPart(schema)
  if (broken) return `its input schema ${broken.why}${at(broken.pointer)}`
  const dangling = danglingReference(schema)
  if (dangling) return `its input schema refers to ${JSON.stringify(dangling.ref)}, which leads nowhere`
  if (isPlainSchema(schema)) return undefined
  const problem = validator.check(schema)
  return problem && `its input schema is none: ${problem.pointer || 'it'} ${problem.message}`
}

/** What a meta-schema does not say. */
function brokenPart(schema: unknown): { readonly why: string; readonly pointer: string } | undefined {
  for (const { value, pointer } of walkSchema(schema)) {
    const patterns = [
      value['pattern'],
      ...(isMap(value['patternProperties']) ? Object.keys(value['patternProperties']) : []),
    ]
    const bad = patterns.find((pattern) => typeof pattern === 'string' && !isPattern(pattern))
    if (bad !== undefined) return { why: `has the pattern ${JSON.stringify(bad)}, which is none`, pointer }
    if (
      Array.isArray(value['enum']) &&
      value['enum'].length > 0 &&
      !value['enum'].some((item) => fits(item, value['type']))
    ) {
      return { why: `has an \`enum\` without a value of its \`type\` ${JSON.stringify(value['type'])}`, pointer }
    }
  }
  return undefined
}

function at(pointer: string): string {
  return pointer === '' ? '' : ` at ${pointer}`
}

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}

/** What is no known type fits: the meta-schema has something to say about it. */
function fits(value: unknown, type: unknown): boolean {
  if (Array.isArray(type)) return type.length === 0 || type.some((each) => fits(value, each))
  switch (type) {
    case 'null':
      return value === null
    case 'boolean':
    case 'string':
      return typeof value === type
    case 'number':
      return typeof value === 'number'
    case 'integer':
      return Number.isInteger(value)
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isMap(value)
    default:
      return true
  }
}
