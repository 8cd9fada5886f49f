import { canonicalJson, createReporter, type Diagnostic, describe, isMap, type Located, suggest } from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'

const report = createReporter(diagnosticCodes)

/** The `if` of a hook, as it is written: a permission rule, or conditions on fields of the payload. */
export type WrittenCondition = string | ConditionTree

/** Conditions of which all have to hold, or one. */
export interface ConditionTree {
  readonly join: 'all_of' | 'any_of'
  /** At least one. */
  readonly atoms: readonly ConditionAtom[]
}

/** What one field of the payload has to be. */
export interface ConditionAtom {
  /** Path of names and list positions, such as `tool_input.file_path`. */
  readonly field: readonly string[]
  readonly match: FieldMatch
  /** Whether it holds for an event without that field. */
  readonly holdsWithout: boolean
}

/** `exact` compares texts, `glob` paths, `command` reads command lines as permission rules do. */
export type FieldMatch =
  | { readonly type: (typeof VALUE_TYPES)[number]; readonly value: string }
  | { readonly type: 'not'; readonly inner: FieldMatch }

const VALUE_TYPES = ['exact', 'regex', 'glob', 'command'] as const
const TYPES: readonly string[] = [...VALUE_TYPES, 'not']

/** `not` in `not` in `not` means nothing that people write; and reading it takes depth. */
const MAX_NESTING = 8

/**
 * Takes the `if` out of an entry and reads it. One that can't be read is left out with an error, and the hook stays: one
 * that runs too often is noticed, one that silently never runs is not.
 * @param options.trees whether the dialect knows more than permission rules
 */
export function takeCondition(
  entry: Located<unknown>,
  options: { readonly trees: boolean },
): {
  readonly rest: Located<unknown>
  readonly condition?: WrittenCondition
  readonly diagnostics: readonly Diagnostic[]
} {
  if (!isMap(entry.value) || !Object.hasOwn(entry.value, 'if')) return { rest: entry, diagnostics: [] }
  const { if: written, ...others } = entry.value
  const rest = { ...entry, value: others }
  if (typeof written === 'string' && written !== '') return { rest, condition: written, diagnostics: [] }
  if (options.trees && isMap(written)) {
    const reader = new TreeReader()
    const condition = reader.read(written)
    if (!reader.fault && condition) return { rest, condition, diagnostics: [] }
    const { problem, pointer } = reader.fault ?? { problem: 'it holds nothing', pointer: '' }
    return { rest, diagnostics: [conditionProblem(entry, problem, { rest: 'nothing', below: pointer })] }
  }
  return { rest, diagnostics: [conditionProblem(entry, describe(written), { rest: 'nothing' })] }
}

/**
 * Says that the `if` of a hook holds less back than it should.
 * @param options.rest what is left of it: nothing, or the tool's name
 * @param options.below pointer of the part that is wrong
 */
export function conditionProblem(
  entry: Located<unknown>,
  problem: string,
  { rest, below = '' }: { readonly rest: 'nothing' | 'tool'; readonly below?: string },
): Diagnostic {
  const effect = rest === 'tool' ? 'for every call of that tool' : 'whenever its matcher fits'
  const pointer = `/if${below}`
  return report.error(
    'hooks.if.invalid',
    entry.at(pointer),
    `\`if\` can't be used (${problem}), so the hook runs ${effect}.`,
    {
      pointer: entry.pointer + pointer,
      expected: ['a permission rule', '{all_of: [{field, match}]}', '{any_of: [{field, match}]}'],
      hint: 'Write a permission rule such as Bash(git push *), or {all_of: [{field: tool_input.command, match: {type: regex, value: push}}]}.',
    },
  )
}

/** The text that a value is compared as; `undefined` where there is nothing to compare. */
export function comparedText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  return typeof value === 'object' ? canonicalJson(value) : String(value)
}

type Written = Readonly<Record<string, unknown>>

/** Why a condition can't be read, and where. */
interface Fault {
  readonly problem: string
  readonly pointer: string
}

/** Reads a tree up to its first fault. */
class TreeReader {
  fault: Fault | undefined

  read(written: Written): ConditionTree | undefined {
    if (!this.#knows(written, ['all_of', 'any_of'], '', 'it')) return undefined
    const [join, second] = (['all_of', 'any_of'] as const).filter((key) => Object.hasOwn(written, key))
    if (join === undefined) return this.#fail('it has neither `all_of` nor `any_of`', '')
    if (second !== undefined) return this.#fail('it has both `all_of` and `any_of`; one hook can have one', '')
    const list = written[join]
    if (!Array.isArray(list)) return this.#fail(`\`${join}\` is ${describe(list)}, not a list`, `/${join}`)
    if (list.length === 0) return this.#fail(`\`${join}\` is empty`, `/${join}`)
    const atoms = list.flatMap((atom, index) => this.#atom(atom, `${join}[${index}]`, `/${join}/${index}`) ?? [])
    return { join, atoms }
  }

  #atom(atom: unknown, name: string, pointer: string): ConditionAtom | undefined {
    if (!isMap(atom)) return this.#fail(`\`${name}\` is ${describe(atom)}, not {field, match}`, pointer)
    if (Object.hasOwn(atom, 'all_of') || Object.hasOwn(atom, 'any_of')) {
      return this.#fail(`\`${name}\` holds another list; lists can't be nested`, pointer)
    }
    if (!this.#knows(atom, ['field', 'match', 'missing'], pointer, `\`${name}\``)) return undefined
    const { field, match, missing = 'no-match' } = atom
    if (field === undefined) return this.#fail(`\`${name}\` has no \`field\``, pointer)
    const names = typeof field === 'string' ? field.split('.') : []
    if (names.length === 0 || names.includes('')) {
      const expected = 'a path such as tool_input.command'
      return this.#fail(`\`${name}.field\` is ${describe(field)}, not ${expected}`, `${pointer}/field`)
    }
    if (missing !== 'match' && missing !== 'no-match') {
      const expected = 'match or no-match'
      return this.#fail(`\`${name}.missing\` is ${describe(missing)}, not ${expected}`, `${pointer}/missing`)
    }
    const read = this.#match(match, `${name}.match`, `${pointer}/match`, 0)
    return read && { field: names, match: read, holdsWithout: missing === 'match' }
  }

  #match(match: unknown, name: string, pointer: string, depth: number): FieldMatch | undefined {
    if (match === undefined) return this.#fail(`\`${name}\` is missing`, pointer)
    if (!isMap(match)) return this.#fail(`\`${name}\` is ${describe(match)}, not {type, value}`, pointer)
    const { type } = match
    if (type === 'not') {
      if (!this.#knows(match, ['type', 'inner'], pointer, `\`${name}\``)) return undefined
      const { inner } = match
      if (inner === undefined) return this.#fail(`\`${name}\` has no \`inner\`, which \`not\` needs`, pointer)
      if (depth === MAX_NESTING) return this.#fail(`\`${name}\` is nested too deep`, pointer)
      const read = this.#match(inner, `${name}.inner`, `${pointer}/inner`, depth + 1)
      return read && { type, inner: read }
    }
    const known = VALUE_TYPES.find((each) => each === type)
    if (!known) return this.#fail(`\`${name}.type\` ${unknownType(type)}`, `${pointer}/type`)
    if (!this.#knows(match, ['type', 'value'], pointer, `\`${name}\``)) return undefined
    const value = known === 'exact' ? comparedText(match['value']) : match['value']
    if (value === undefined || value === null) {
      return this.#fail(`\`${name}\` has no \`value\`, which \`${known}\` needs`, pointer)
    }
    if (typeof value === 'string') return { type: known, value }
    return this.#fail(`\`${name}.value\` is ${describe(value)}, not a text`, `${pointer}/value`)
  }

  /** An unknown key may be the very one that was to hold something back. */
  #knows(written: Written, known: readonly string[], pointer: string, name: string): boolean {
    const key = Object.keys(written).find((key) => !known.includes(key))
    if (key === undefined) return true
    const typo = suggest(key, known)
    const say = typo ? `did you mean ${typo}?` : `it can have ${known.join(', ')}`
    this.#fail(`${name} has an unknown key \`${key}\`; ${say}`, pointer)
    return false
  }

  #fail(problem: string, pointer: string): undefined {
    this.fault ??= { problem, pointer }
  }
}

function unknownType(type: unknown): string {
  const typo = typeof type === 'string' ? suggest(type, TYPES) : undefined
  const why = type === undefined ? 'is missing' : `is ${describe(type)}`
  return `${why}; ${typo ? `did you mean ${typo}?` : `use ${TYPES.join(', ')}`}`
}
