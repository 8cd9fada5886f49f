import { compileNameGlob, type Matcher } from '@ext/kernel/match'
import type { RuleProblem } from './parse.js'
import type { ToolLikenessFound } from './tools.js'

/** `model:opus`, read as a field of the input and what it has to be. */
export interface Param {
  readonly field: string
  readonly value: Matcher
}

/** Reads `field:value`; `undefined` for a specifier that has not this form. */
export function readParam(specifier: string): Param | undefined {
  const [, field, value] = /^([A-Za-z_]\w*):(.+)$/s.exec(specifier) ?? []
  return field === undefined || value === undefined ? undefined : { field, value: compileNameGlob(value.trim()) }
}

const PRIMARY = ['command', 'file_path', 'notebook_path', 'path', 'url', 'skill', 'subagent_type']

/** Why a field can't be named by its name: there is a form of its own for what the tool is about. */
export function primaryField(
  field: string,
  tool: string,
  like: ToolLikenessFound | undefined,
): RuleProblem | undefined {
  const own = [like?.command, like?.path, like?.url, like?.target].flat()
  if (!PRIMARY.includes(field) && !own.includes(field)) return undefined
  return {
    problem: `\`${field}\` is what ${tool} is about, so it is not named`,
    hint: `Write what it has to be alone, as in \`Bash(git push *)\`, \`Read(.env)\` or \`WebFetch(domain:example.com)\`.`,
  }
}

/** A field that is left out never fits; one that is no plain value can't be judged, and so it does. */
export function fitsParams(params: readonly Param[], input: Readonly<Record<string, unknown>>): boolean {
  return params.every(({ field, value }) => Object.hasOwn(input, field) && fits(input[field], value))
}

function fits(found: unknown, wanted: Matcher): boolean {
  if (found === null || found === undefined) return false
  if (Array.isArray(found)) return found.some((each) => fits(each, wanted))
  return typeof found === 'object' || wanted.test(String(found))
}
