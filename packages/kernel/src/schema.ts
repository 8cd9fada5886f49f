import { diagnosticCodes } from './codes.js'
import { createReporter, hasErrors } from './diagnostic.js'
import { dottedPath, joinPointer } from './pointer.js'
import { describe, isMap, valueAt } from './reader.js'
import { suggest } from './suggest.js'
import type { Diagnostic, Located, Outcome } from './types.js'

const report = createReporter(diagnosticCodes)

/** One complaint of a JSON Schema validator, in the form that ajv gives. */
export interface SchemaIssue {
  readonly keyword: string
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message?: string
  /** The schema that complains, for validators made with ajv's option `verbose`: its `properties` are the known keys. */
  readonly parentSchema?: unknown
  /** The name that is wrong, for complaints below `propertyNames`. */
  readonly propertyName?: string
}

/** A compiled validator, as ajv generates them: returns whether the value is valid and leaves its complaints behind. */
export interface SchemaFunction {
  (value: unknown): boolean
  errors?: readonly SchemaIssue[] | null
}

/**
 * Checks an entry against its schema. Unknown keys are warnings and the entry stays; everything else is an error and
 * there is no value. Each diagnostic says what was found, what was expected, and where.
 * @param moreKeys keys of the entry itself that its schema does not list, for did-you-mean
 */
export function checkSchema<T>(
  validate: SchemaFunction,
  entry: Located<unknown>,
  moreKeys: readonly string[] = [],
): Outcome<T> {
  if (validate(entry.value)) return { value: entry.value as T, diagnostics: [] }
  const issues = joinTypes(validate.errors ?? [])
  const diagnostics = issues.flatMap((issue) => (isWrapper(issue) ? [] : [explain(issue, entry, moreKeys)]))
  if (diagnostics.length === 0) diagnostics.push(misfit(issues[0], entry))
  return hasErrors(diagnostics) ? { diagnostics } : { value: entry.value as T, diagnostics }
}

/** Alternatives complain once each, such as `anyOf` a text or a list; together they are one complaint. */
function joinTypes(issues: readonly SchemaIssue[]): readonly SchemaIssue[] {
  const wanted = new Map<string, Set<string>>()
  for (const { keyword, instancePath, params } of issues) {
    if (keyword !== 'type') continue
    const types = wanted.get(instancePath) ?? new Set()
    for (const type of [params['type']].flat()) types.add(String(type))
    wanted.set(instancePath, types)
  }
  return issues.flatMap((issue) => {
    if (issue.keyword !== 'type') return [issue]
    const types = wanted.get(issue.instancePath)
    wanted.delete(issue.instancePath)
    return types ? [{ ...issue, params: { type: [...types] } }] : []
  })
}

/** Whether a keyword only says that something below it failed; that has said why. */
function isWrapper({ keyword, params }: SchemaIssue): boolean {
  // Of `oneOf`, also too many can fit, and then nothing below has complained.
  if (keyword === 'oneOf') return !params['passingSchemas']
  return ['anyOf', 'if', 'propertyNames'].includes(keyword)
}

function explain(issue: SchemaIssue, entry: Located<unknown>, moreKeys: readonly string[]): Diagnostic {
  const { instancePath, keyword, params, parentSchema } = issue
  const properties = valueAt(parentSchema, '/properties')
  const knownKeys = [...Object.keys(isMap(properties) ? properties : {}), ...(instancePath === '' ? moreKeys : [])]
  switch (keyword) {
    case 'required':
      return missing(String(params['missingProperty']), issue, entry, knownKeys)
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return unknownKey(String(params['additionalProperty'] ?? params['unevaluatedProperty']), issue, entry, knownKeys)
    case 'type':
      return wrongType([params['type']].flat().map(String), issue, entry)
    case 'enum':
    case 'const':
      return notAccepted([params['allowedValues'] ?? params['allowedValue']].flat().map(String), issue, entry)
    case 'discriminator':
      return unknownKind(String(params['tag']), issue, entry, knownKeys)
    default:
      return misfit(issue, entry)
  }
}

function missing(field: string, issue: SchemaIssue, entry: Located<unknown>, knownKeys: readonly string[]): Diagnostic {
  const found = valueAt(entry.value, issue.instancePath)
  const unknown = isMap(found) ? Object.keys(found).filter((key) => !knownKeys.includes(key)) : []
  const typo = suggest(field, unknown)
  return report.error(
    'schema.required',
    entry.at(issue.instancePath),
    `${nameOf(issue.instancePath)} lacks the field \`${field}\`.`,
    {
      ...about(entry, issue.instancePath),
      hint: typo ? `Did you mean \`${field}\` where it says \`${typo}\`?` : `Add \`${field}\`.`,
    },
  )
}

function unknownKey(
  key: string,
  issue: SchemaIssue,
  entry: Located<unknown>,
  knownKeys: readonly string[],
): Diagnostic {
  const typo = suggest(key, knownKeys)
  const pointer = joinPointer(issue.instancePath, key)
  return report.warning(
    'schema.unknown-key',
    entry.at(pointer, 'key'),
    `\`${key}\` is not known here, so nothing reads it.`,
    {
      ...about(entry, pointer),
      hint: typo ? `Did you mean \`${typo}\`?` : 'Remove it, or check its spelling.',
    },
  )
}

function wrongType(wanted: readonly string[], issue: SchemaIssue, entry: Located<unknown>): Diagnostic {
  const words = wanted.map((type) => TYPE_WORDS[type] ?? type).join(' or ')
  return report.error(
    'schema.type',
    entry.at(issue.instancePath),
    `${found(issue.instancePath, entry)}, not ${words}.`,
    {
      ...about(entry, issue.instancePath),
      expected: wanted,
      hint: `Write ${words}.`,
    },
  )
}

function notAccepted(accepted: readonly string[], issue: SchemaIssue, entry: Located<unknown>): Diagnostic {
  const value = valueAt(entry.value, issue.instancePath)
  const typo = typeof value === 'string' ? suggest(value, accepted) : undefined
  return report.error('schema.value', entry.at(issue.instancePath), `${found(issue.instancePath, entry)}.`, {
    ...about(entry, issue.instancePath),
    expected: accepted,
    hint: typo ? `Did you mean "${typo}"?` : `Use ${accepted.length > 1 ? 'one of: ' : ''}${accepted.join(', ')}.`,
  })
}

/** The field that says which alternative an entry is has a value that none of them has, or is not there. */
function unknownKind(
  tag: string,
  issue: SchemaIssue,
  entry: Located<unknown>,
  knownKeys: readonly string[],
): Diagnostic {
  const pointer = joinPointer(issue.instancePath, tag)
  const value = valueAt(entry.value, pointer)
  if (value === undefined) return missing(tag, issue, entry, knownKeys)
  return report.error('schema.value', entry.at(pointer), `\`${tag}\` is ${describe(value)}, which is not known.`, {
    ...about(entry, pointer),
    hint: `Use one of the values of \`${tag}\` that the documentation lists.`,
  })
}

/** Any other keyword, in the words of the validator. */
function misfit(issue: SchemaIssue | undefined, entry: Located<unknown>): Diagnostic {
  const { instancePath = '', keyword, message, propertyName } = issue ?? {}
  const why = keyword === 'false schema' ? 'nothing is accepted here' : `it ${message ?? 'is not valid'}`
  if (propertyName !== undefined) {
    const pointer = joinPointer(instancePath, propertyName)
    return report.error('schema.value', entry.at(pointer, 'key'), `\`${propertyName}\` is no valid name; ${why}.`, {
      ...about(entry, pointer),
      hint: 'Change the name so that it fits.',
    })
  }
  return report.error('schema.value', entry.at(instancePath), `${found(instancePath, entry)}; ${why}.`, {
    ...about(entry, instancePath),
    hint: 'Change the value so that it fits.',
  })
}

function about(entry: Located<unknown>, pointer: string): { readonly entry: string; readonly pointer: string } {
  return { entry: entry.id, pointer: entry.pointer + pointer }
}

function found(pointer: string, entry: Located<unknown>): string {
  return `${nameOf(pointer)} is ${describe(valueAt(entry.value, pointer))}`
}

function nameOf(pointer: string): string {
  return pointer === '' ? 'The entry' : `\`${dottedPath(pointer)}\``
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  null: 'null',
}
