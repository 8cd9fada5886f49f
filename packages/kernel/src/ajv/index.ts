/**
 * Validation against JSON Schemas that come at run time, such as those of tools (`@ext/kernel/ajv`).
 * @module
 */
import type { Ajv, Options, ValidateFunction } from 'ajv'
import { messageOf } from '../errors.js'

type RegExpEngine = NonNullable<NonNullable<Options['code']>['regExp']>

/** A problem of a value, in words that a model can act on. */
export interface ValueProblem {
  /** JSON pointer of the part that is wrong. */
  readonly pointer: string
  readonly message: string
}

/** The problems of a value, none if it is valid. Never throws. */
export type CompiledSchema = (value: unknown) => readonly ValueProblem[]

/** Compiles schemas that come at run time. */
export interface SchemaValidator {
  /** Compiles once per schema object. A schema that can't be compiled comes back as a problem, not as an exception. */
  compile(schema: Readonly<Record<string, unknown>>): CompiledSchema | { readonly problem: string }
  /**
   * What keeps a schema from being one of its dialect, `undefined` if nothing does. Costs a tenth of `compile`, and leaves
   * out what only compiling shows: references that lead nowhere and patterns that are none.
   */
  check(schema: Readonly<Record<string, unknown>>): ValueProblem | undefined
}

/**
 * The dialect is chosen by `$schema` (draft-07, 2019-09 or 2020-12; without one 2020-12, as MCP has it). Remote `$ref`s
 * are never fetched: they make the schema a problem. Formats are not checked. A `pattern` runs in linear time, since
 * whoever wrote the schema may be remote; one with look-around or back-references has no such form and is not checked.
 */
export async function createSchemaValidator(): Promise<SchemaValidator> {
  const [{ Ajv }, { Ajv2019 }, { Ajv2020 }, { compileRegex, MAX_SUBJECT }] = await Promise.all([
    import('ajv'),
    import('ajv/dist/2019.js'),
    import('ajv/dist/2020.js'),
    import('../match/regex.js'),
  ])
  const regExp: RegExpEngine = Object.assign(
    (pattern: string) => {
      const { matcher } = compileRegex(pattern, { anchored: false })
      // What is no regular expression at all still makes the schema a problem.
      if (!matcher) new RegExp(pattern, 'u')
      return {
        test: (text: string) => !matcher || text.length > MAX_SUBJECT || matcher.test(text),
        // ajv tells patterns apart by their text.
        toString: () => pattern,
      }
    },
    { code: 'linear' },
  )
  const options: Options = {
    strict: false,
    allErrors: true,
    validateFormats: false,
    addUsedSchema: false,
    logger: false,
    code: { regExp },
  }
  const makers = {
    'draft-07': () => new Ajv(options),
    '2019-09': () => new Ajv2019(options),
    '2020-12': () => new Ajv2020(options),
  }
  const dialects = new Map<keyof typeof makers, Ajv>()
  const ajvFor = ({ $schema }: Readonly<Record<string, unknown>>): Ajv => {
    const name = String($schema ?? '')
    const dialect = name.includes('draft-07') ? 'draft-07' : name.includes('2019-09') ? '2019-09' : '2020-12'
    const ajv = dialects.get(dialect) ?? makers[dialect]()
    dialects.set(dialect, ajv)
    return ajv
  }
  const compiled = new WeakMap<object, CompiledSchema | { readonly problem: string }>()
  return {
    check(schema) {
      const ajv = ajvFor(schema)
      try {
        const plain: Record<string, unknown> = { ...schema }
        // A dialect that is none of the three is held against the nearest.
        delete plain['$schema']
        if (ajv.validateSchema(plain) === true) return undefined
        return problemsOf(ajv.errors)[0] ?? { pointer: '', message: 'is not a schema' }
      } catch (error) {
        return { pointer: '', message: messageOf(error) }
      }
    },
    compile(schema) {
      const known = compiled.get(schema)
      if (known) return known
      const ajv = ajvFor(schema)
      let result: CompiledSchema | { readonly problem: string }
      try {
        const validate = ajv.compile(schema)
        // Its own cache would hold every schema that ever came, also those of servers long gone.
        ajv.removeSchema(schema)
        if ('$async' in validate) throw new Error('$async is not supported')
        result = (value) => check(validate, value)
      } catch (error) {
        result = { problem: messageOf(error) }
      }
      compiled.set(schema, result)
      return result
    },
  }
}

function check(validate: ValidateFunction, value: unknown): readonly ValueProblem[] {
  try {
    if (validate(value)) return []
  } catch (error) {
    // A value can be nested deeper than a recursive schema can follow.
    return [{ pointer: '', message: messageOf(error) }]
  }
  return problemsOf(validate.errors)
}

function problemsOf(errors: ValidateFunction['errors']): readonly ValueProblem[] {
  return (errors ?? []).map((error) => ({
    pointer: error.instancePath,
    message: `${error.message ?? 'is not valid'}${detail(error.params)}`,
  }))
}

/** The part of ajv's params that its message leaves out. */
function detail(params: Readonly<Record<string, unknown>>): string {
  const extra = params['additionalProperty'] ?? params['allowedValues']
  return extra === undefined ? '' : ` (${JSON.stringify(extra)})`
}
