import { diagnosticCodes } from './codes.js'
import { createReporter } from './diagnostic.js'
import { joinPointer } from './pointer.js'
import { describe, isMap } from './reader.js'
import { suggest } from './suggest.js'
import type { Diagnostic, Located, Outcome } from './types.js'

const report = createReporter(diagnosticCodes)

/** One complaint of a JSON Schema validator, in the form that ajv gives. */
export interface SchemaIssue {
  readonly keyword: string
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message?: string
  readonly schemaPath?: string
}

/** A compiled validator, as ajv generates them: returns whether the value is valid and leaves its complaints behind. */
export interface SchemaFunction {
  (value: unknown): boolean
  errors?: readonly SchemaIssue[] | null
}

/**
 * Checks an entry against its schema. Unknown keys are warnings and the entry stays; everything else is an error and
 * there is no value. Each diagnostic says what was found, what was expected, and where.
 * @param knownKeys for did-you-mean on unknown keys of the entry itself
 */
export function checkSchema<T>(
  validate: SchemaFunction,
  entry: Located<unknown>,
  knownKeys: readonly string[] = [],
): Outcome<T> {
  if (validate(entry.value)) return { value: entry.value as T, diagnostics: [] }
  const issues = validate.errors ?? []
  const diagnostics = issues.flatMap((issue) => explain(issue, entry, knownKeys))
  const valid = !diagnostics.some((diagnostic) => diagnostic.severity === 'error')
  return valid ? { value: entry.value as T, diagnostics } : { diagnostics }
}

/** Keywords that only say that one of their branches failed; the branch has said why. */
const WRAPPERS = new Set(['if', 'anyOf', 'oneOf', 'allOf', 'not', 'then', 'else'])

function explain(issue: SchemaIssue, entry: Located<unknown>, knownKeys: readonly string[]): readonly Diagnostic[] {
  const { instancePath, keyword, params } = issue
  const pointer = entry.pointer + instancePath
  const name = fieldName(instancePath)
  const found = lookUp(entry.value, instancePath)
  const details = { entry: entry.id, pointer }
  switch (keyword) {
    case 'required': {
      const missing = String(params['missingProperty'])
      const typo = isMap(found) ? suggest(missing, Object.keys(found)) : undefined
      return [
        report.error('schema.required', entry.at(instancePath), `${name} lacks the field \`${missing}\`.`, {
          ...details,
          hint: typo ? `Did you mean \`${missing}\` where it says \`${typo}\`?` : `Add \`${missing}\`.`,
        }),
      ]
    }
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const key = String(params['additionalProperty'] ?? params['unevaluatedProperty'])
      const typo = suggest(key, knownKeys)
      return [
        report.warning(
          'schema.unknown-key',
          entry.at(joinPointer(instancePath, key), 'key'),
          `\`${key}\` is not known here, so nothing reads it.`,
          {
            ...details,
            pointer: joinPointer(pointer, key),
            hint: typo ? `Did you mean \`${typo}\`?` : 'Remove it, or check its spelling.',
          },
        ),
      ]
    }
    case 'type': {
      const wanted = [params['type']].flat().map(String)
      return [
        report.error(
          'schema.type',
          entry.at(instancePath),
          `${name} is ${describe(found)}, not ${wanted.join(' or ')}.`,
          {
            ...details,
            expected: wanted,
            hint: `Write ${wanted.map((type) => ARTICLES[type] ?? type).join(' or ')}.`,
          },
        ),
      ]
    }
    case 'enum':
    case 'const': {
      const wanted = [params['allowedValues'] ?? params['allowedValue']].flat().map(String)
      return [unexpected(entry, issue, name, found, wanted)]
    }
    case 'discriminator': {
      const tag = String(params['tag'])
      const value = isMap(found) ? found[tag] : undefined
      return [
        report.error(
          'schema.value',
          entry.at(joinPointer(instancePath, tag)),
          `\`${tag}\` is ${describe(value)}, which is not known.`,
          {
            ...details,
            hint: `Use one of the types that the documentation lists.`,
          },
        ),
      ]
    }
    default:
      if (WRAPPERS.has(keyword)) return []
      return [
        report.error(
          'schema.value',
          entry.at(instancePath),
          `${name} is ${describe(found)}; it ${issue.message ?? 'is not valid'}.`,
          {
            ...details,
            hint: 'Change the value so that it fits.',
          },
        ),
      ]
  }
}

function unexpected(
  entry: Located<unknown>,
  issue: SchemaIssue,
  name: string,
  found: unknown,
  wanted: readonly string[],
): Diagnostic {
  const typo = typeof found === 'string' ? suggest(found, wanted) : undefined
  return report.error('schema.value', entry.at(issue.instancePath), `${name} is ${describe(found)}.`, {
    entry: entry.id,
    pointer: entry.pointer + issue.instancePath,
    expected: wanted,
    hint: typo ? `Did you mean "${typo}"?` : `Use one of: ${wanted.join(', ')}.`,
  })
}

const ARTICLES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  null: 'null',
}

function fieldName(instancePath: string): string {
  return instancePath === '' ? 'The entry' : `\`${instancePath.slice(1).replaceAll('/', '.')}\``
}

function lookUp(root: unknown, instancePath: string): unknown {
  let value = root
  for (const raw of instancePath.split('/').slice(1)) {
    const segment = raw.replaceAll('~1', '/').replaceAll('~0', '~')
    value = Array.isArray(value) ? value[Number(segment)] : isMap(value) ? value[segment] : undefined
  }
  return value
}
