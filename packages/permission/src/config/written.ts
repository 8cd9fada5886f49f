import { describe, isMap } from '@ext/kernel'
import type { Behavior } from '@ext/kernel/contract'
import { compileNameGlob } from '@ext/kernel/match'
import type { Rule } from '../rule/parse.js'
import { EFFECTS, type RuleTests, type WrittenRule } from './entry.js'

/** Why a rule that is written as a map can't be read, and where in it. */
export interface WrittenFault {
  /** Relative JSON pointer. */
  readonly pointer: string
  readonly problem: string
  readonly expected?: readonly string[]
}

export type ReadRule =
  | { readonly effect: Behavior; readonly written: WrittenRule; readonly fault?: undefined }
  | { readonly fault: WrittenFault }

const FORMS = ['command', 'path', 'domain', 'regex', 'params'] as const
const KEYS: readonly string[] = ['name', 'effect', 'tool', ...FORMS, 'reason', 'expires', 'tests']

/** Reads one item of `rules`. Never throws. */
export function readWritten(value: unknown): ReadRule {
  if (!isMap(value)) return fault('', `it is ${describe(value)}, not a map`)
  const unknown = Object.keys(value).find((key) => !KEYS.includes(key))
  // A key that is not understood may have narrowed the rule, or widened it.
  if (unknown !== undefined) return fault(`/${unknown}`, `\`${unknown}\` is no key of a rule`, KEYS)
  const effect = EFFECTS.find((each) => each === value['effect'])
  if (!effect) return fault('/effect', `its effect is ${describe(value['effect'])}`, EFFECTS)
  const texts: Record<string, string> = {}
  for (const key of ['name', 'tool', 'command', 'path', 'domain', 'regex', 'reason'] as const) {
    const text = value[key]
    if (text === undefined) continue
    if (typeof text !== 'string' || text === '') return fault(`/${key}`, `its ${key} is ${describe(text)}, not a text`)
    texts[key] = text
  }
  const { tool, ...rest } = texts
  if (tool === undefined) return fault('', 'it names no tool')
  const forms = FORMS.filter((key) => value[key] !== undefined)
  if (forms.length > 1)
    return fault(`/${forms[1]}`, `it has ${forms.map((each) => `\`${each}\``).join(' and ')}`, ['one of them'])
  const params = readParams(value['params'])
  if (params && 'fault' in params) return params
  const expires = readExpiry(value['expires'])
  if (expires && 'fault' in expires) return expires
  if (expires && effect !== 'allow') return fault('/expires', 'only an allow rule can expire')
  const tests = readTests(value['tests'])
  if (tests && 'fault' in tests) return tests
  return { effect, written: { ...rest, tool, ...params, ...expires, ...tests } }
}

function readParams(value: unknown): { readonly params: Record<string, string> } | { fault: WrittenFault } | undefined {
  if (value === undefined) return undefined
  if (!isMap(value) || Object.keys(value).length === 0)
    return fault('/params', `its params are ${describe(value)}`, ['a map of fields'])
  const params: Record<string, string> = {}
  for (const [field, wanted] of Object.entries(value)) {
    if (!['string', 'number', 'boolean'].includes(typeof wanted)) {
      return fault(`/params/${field}`, `\`${field}\` is ${describe(wanted)}`, ['a text, a number or a truth value'])
    }
    params[field] = String(wanted)
  }
  return { params }
}

function readExpiry(value: unknown): { readonly expiresAt: number } | { fault: WrittenFault } | undefined {
  if (value === undefined) return undefined
  const time = typeof value === 'string' ? Date.parse(value) : value instanceof Date ? value.getTime() : Number.NaN
  return Number.isNaN(time)
    ? fault('/expires', `it expires at ${describe(value)}`, ['a date such as 2030-01-31 or 2030-01-31T12:00:00Z'])
    : { expiresAt: time }
}

function readTests(value: unknown): { readonly tests: RuleTests } | { fault: WrittenFault } | undefined {
  if (value === undefined) return undefined
  if (!isMap(value)) return fault('/tests', `its tests are ${describe(value)}`, ['a map with match and notMatch'])
  const tests: Record<string, readonly unknown[]> = {}
  for (const [key, calls] of Object.entries(value)) {
    if (key !== 'match' && key !== 'notMatch')
      return fault(`/tests/${key}`, `\`${key}\` is unknown`, ['match', 'notMatch'])
    if (!Array.isArray(calls)) return fault(`/tests/${key}`, `\`${key}\` is ${describe(calls)}`, ['a list of calls'])
    const odd = calls.findIndex((call) => typeof call !== 'string' && !isMap(call))
    if (odd !== -1) return fault(`/tests/${key}/${odd}`, `this call is ${describe(calls[odd])}`, ['a text or a map'])
    tests[key] = calls
  }
  return { tests }
}

function fault(pointer: string, problem: string, expected?: readonly string[]): { readonly fault: WrittenFault } {
  return { fault: { pointer, problem, ...(expected ? { expected } : {}) } }
}

/** The rule as the rule language has it. Its text is what people see. */
export function ruleOfWritten({ name, tool, params, ...forms }: WrittenRule): Rule {
  const kind = (['command', 'path', 'domain', 'regex'] as const).find((each) => forms[each] !== undefined)
  const specifier = kind && forms[kind]
  const shown =
    specifier ??
    Object.entries(params ?? {})
      .map(([field, value]) => `${field}:${value}`)
      .join(', ')
  return {
    text: name ?? (shown === '' ? tool : `${tool}(${kind === 'domain' || kind === 'regex' ? `${kind}:` : ''}${shown})`),
    tool,
    ...(kind === undefined ? {} : { kind, specifier: specifier ?? '' }),
    ...(params
      ? { params: Object.entries(params).map(([field, value]) => ({ field, value: compileNameGlob(value) })) }
      : {}),
  }
}

/** How records call it: the tool stays readable, so that a broken rule caps no more than it has to. */
export function nameOfWritten(value: unknown): string {
  const tool = isMap(value) && typeof value['tool'] === 'string' ? value['tool'] : '*'
  const name = isMap(value) && typeof value['name'] === 'string' ? value['name'] : 'a rule of `rules`'
  return `${tool}(${name.replace(/[()]/g, ' ')})`
}
