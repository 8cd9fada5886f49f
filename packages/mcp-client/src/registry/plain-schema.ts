import { isMap } from '@ext/kernel'

/** Deeper than this nobody has to look for a quick answer. */
const MAX_DEPTH = 64

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])

type Check = (value: unknown, depth: number) => boolean

const isText: Check = (value) => typeof value === 'string'
const isFlag: Check = (value) => typeof value === 'boolean'
const isNumber: Check = (value) => typeof value === 'number'
const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0
const isList: Check = (value) => Array.isArray(value)
const isScalar: Check = (value) => typeof value !== 'object' || value === null
const isTypeName: Check = (value) => TYPES.has(value as string)
const isListOf = (check: Check, value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.every((item) => check(item, 0)) && new Set(value).size === value.length
const isMapOfSchemas: Check = (value, depth) =>
  isMap(value) && Object.values(value).every((schema) => isSchema(schema, depth))
const areSchemas: Check = (value, depth) =>
  Array.isArray(value) && value.length > 0 && value.every((schema) => isSchema(schema, depth))

/** Keywords about which all dialects say the same. */
const KEYWORDS: Readonly<Record<string, Check>> = {
  $schema: isText,
  $ref: isText,
  $comment: isText,
  title: isText,
  description: isText,
  default: () => true,
  examples: isList,
  readOnly: isFlag,
  writeOnly: isFlag,
  type: (value) => isTypeName(value, 0) || (isListOf(isTypeName, value) && value.length > 0),
  enum: (value) => isListOf(isScalar, value) && value.length > 0,
  const: () => true,
  format: isText,
  pattern: isText,
  minLength: isCount,
  maxLength: isCount,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => typeof value === 'number' && value > 0,
  items: isSchema,
  minItems: isCount,
  maxItems: isCount,
  uniqueItems: isFlag,
  properties: isMapOfSchemas,
  additionalProperties: isSchema,
  required: (value) => isListOf(isText, value),
  minProperties: isCount,
  maxProperties: isCount,
  anyOf: areSchemas,
  oneOf: areSchemas,
  allOf: areSchemas,
  not: isSchema,
  $defs: isMapOfSchemas,
  definitions: isMapOfSchemas,
}

/**
 * Whether a schema holds nothing but usual keywords, each as all dialects want it. Most tools have such a schema; for them
 * nobody has to load a validator, which takes longer than to start the server. Other schemas may be good as well.
 */
export function isPlainSchema(schema: Readonly<Record<string, unknown>>): boolean {
  return isSchema(schema, MAX_DEPTH)
}

function isSchema(schema: unknown, depth: number): boolean {
  if (typeof schema === 'boolean') return true
  if (!isMap(schema) || depth === 0) return false
  return Object.entries(schema).every(
    ([key, value]) => Object.hasOwn(KEYWORDS, key) && KEYWORDS[key]?.(value, depth - 1) === true,
  )
}
