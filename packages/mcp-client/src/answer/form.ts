import { isMap } from '@ext/kernel'
import type { CompiledSchema, SchemaValidator } from '@ext/kernel/ajv'
import type { JsonSchema } from '@ext/kernel/contract'
import type { FormField, FormOption, FormRequest, FormValue } from '../asked.js'
import { plain } from '../connect/log.js'
import { RpcError } from '../connect/session.js'
import { formatFault } from './formats.js'

/** Of JSON-RPC: the request is not what it has to be. */
export const INVALID_PARAMS = -32602
/** More than this no person fills in, or reads. */
const MAX_FIELDS = 100
const MAX_OPTIONS = 500
const MAX_TEXT = 16 * 1024

/** A form that can be shown, and what keeps an answer to it from being sent. */
export interface Form extends FormRequest {
  /** The answer with the defaults of the fields that it leaves out. */
  filled(content: Readonly<Record<string, unknown>>): Readonly<Record<string, FormValue>>
}

/**
 * Reads what `elicitation/create` asks for: a flat map of texts, numbers, yes or no, and choices, as MCP 2025-11-25
 * restricts it ("Requested Schema").
 * @throws RpcError for anything else, which a client must not show
 */
export function readForm(message: unknown, schema: unknown, validator: SchemaValidator): Form {
  if (typeof message !== 'string') throw invalid('`message` is not a text')
  if (!isMap(schema) || schema['type'] !== 'object' || !isMap(schema['properties'])) {
    throw invalid('`requestedSchema` is not the schema of an object with properties')
  }
  const properties = Object.entries(schema['properties'])
  if (properties.length > MAX_FIELDS) throw invalid(`the form has more than ${MAX_FIELDS} fields`)
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const fields = properties.map(([name, field]) => readField(name, field, required.includes(name)))
  const ofFields = schemaOf(fields)
  const validate = validator.compile(ofFields)
  const filled: Form['filled'] = (content) => {
    const defaults = fields.flatMap((field) => (field.default === undefined ? [] : [[field.name, field.default]]))
    const given = Object.entries(content).filter(([, value]) => value !== undefined)
    return Object.fromEntries([...defaults, ...given]) as Readonly<Record<string, FormValue>>
  }
  return {
    message: shown(message),
    fields,
    schema: ofFields as JsonSchema,
    filled,
    check: (content) => faultsOf(filled(content), fields, validate),
  }
}

/** For people: without control characters, and not longer than they read. */
export function shown(text: string): string {
  return plain(text).slice(0, MAX_TEXT)
}

export function invalid(why: string): RpcError {
  return new RpcError(INVALID_PARAMS, `Invalid params: ${why}.`)
}

function readField(name: string, schema: unknown, required: boolean): FormField {
  if (!isMap(schema)) throw invalid(`the field ${JSON.stringify(name)} has no schema`)
  const { type, title, description, default: byDefault } = schema
  const base = {
    name,
    ...(typeof title === 'string' ? { title: shown(title) } : {}),
    ...(typeof description === 'string' ? { description: shown(description) } : {}),
    required,
  }
  const options = optionsOf(schema)
  if (type === 'string' && options) {
    const fits = typeof byDefault === 'string' && options.some(({ value }) => value === byDefault)
    return { ...base, kind: 'choice', options, ...(fits ? { default: byDefault } : {}) }
  }
  if (type === 'string') {
    const { format, pattern } = schema
    return {
      ...base,
      kind: 'text',
      ...(isFormat(format) ? { format } : {}),
      ...(typeof pattern === 'string' ? { pattern } : {}),
      ...numbers(schema, 'minLength', 'maxLength'),
      ...(typeof byDefault === 'string' ? { default: byDefault } : {}),
    }
  }
  if (type === 'number' || type === 'integer') {
    const fits = typeof byDefault === 'number'
    return { ...base, kind: type, ...numbers(schema, 'minimum', 'maximum'), ...(fits ? { default: byDefault } : {}) }
  }
  if (type === 'boolean') {
    return { ...base, kind: 'boolean', ...(typeof byDefault === 'boolean' ? { default: byDefault } : {}) }
  }
  const items = type === 'array' && isMap(schema['items']) ? optionsOf(schema['items']) : undefined
  if (!items) throw invalid(`the field ${JSON.stringify(name)} is no text, number, boolean or choice`)
  const fits = Array.isArray(byDefault) && byDefault.every((each) => items.some(({ value }) => value === each))
  const chosen = fits ? { default: byDefault as readonly string[] } : {}
  return { ...base, kind: 'choices', options: items, ...numbers(schema, 'minItems', 'maxItems'), ...chosen }
}

/** `enum`, with the titles that older revisions have in `enumNames`, or constants with titles. */
function optionsOf(schema: Readonly<Record<string, unknown>>): readonly FormOption[] | undefined {
  const { enum: values, enumNames, oneOf, anyOf } = schema
  if (Array.isArray(values)) {
    const titles = Array.isArray(enumNames) ? enumNames : []
    return limited(values.map((value, index) => option(value, titles[index])))
  }
  const constants = oneOf ?? anyOf
  if (!Array.isArray(constants)) return undefined
  return limited(constants.map((each) => (isMap(each) ? option(each['const'], each['title']) : option(undefined))))
}

function option(value: unknown, title?: unknown): FormOption {
  if (typeof value !== 'string') throw invalid('a choice is not a text')
  return { value, title: shown(typeof title === 'string' ? title : value) }
}

function limited(options: readonly FormOption[]): readonly FormOption[] {
  if (options.length === 0) throw invalid('a choice has no options')
  if (options.length > MAX_OPTIONS) throw invalid(`a choice has more than ${MAX_OPTIONS} options`)
  return options
}

function numbers<K extends string>(schema: Readonly<Record<string, unknown>>, ...keys: readonly K[]) {
  const found = keys.flatMap((key) => (typeof schema[key] === 'number' ? [[key, schema[key]]] : []))
  return Object.fromEntries(found) as { readonly [key in K]?: number }
}

function isFormat(value: unknown): value is 'email' | 'uri' | 'date' | 'date-time' {
  return value === 'email' || value === 'uri' || value === 'date' || value === 'date-time'
}

/** What the server asked for, and nothing else that its schema may have held. */
function schemaOf(fields: readonly FormField[]): Readonly<Record<string, unknown>> {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, schemaOfField(field)])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  }
}

function schemaOfField(field: FormField): Readonly<Record<string, unknown>> {
  switch (field.kind) {
    case 'text': {
      const { pattern } = field
      return {
        type: 'string',
        ...(pattern === undefined ? {} : { pattern }),
        ...numbers({ ...field }, 'minLength', 'maxLength'),
      }
    }
    case 'number':
    case 'integer':
      return { type: field.kind, ...numbers({ ...field }, 'minimum', 'maximum') }
    case 'boolean':
      return { type: 'boolean' }
    case 'choice':
      return { type: 'string', enum: field.options.map(({ value }) => value) }
    case 'choices': {
      const items = { type: 'string', enum: field.options.map(({ value }) => value) }
      return { type: 'array', items, uniqueItems: true, ...numbers({ ...field }, 'minItems', 'maxItems') }
    }
  }
}

function faultsOf(
  content: Readonly<Record<string, unknown>>,
  fields: readonly FormField[],
  validate: CompiledSchema | { readonly problem: string },
): ReturnType<FormRequest['check']> {
  if (typeof validate !== 'function') return [{ field: '', message: validate.problem }]
  const faults = validate(content).map(({ pointer, message }) => ({
    field: pointer.split('/')[1]?.replaceAll('~1', '/').replaceAll('~0', '~') ?? '',
    message,
  }))
  for (const field of fields) {
    if (field.kind !== 'text' || field.format === undefined) continue
    const value = content[field.name]
    const fault = typeof value === 'string' ? formatFault(field.format, value) : undefined
    if (fault !== undefined) faults.push({ field: field.name, message: fault })
  }
  return faults
}
