import { hasErrors, isMap } from '@ext/kernel'
import type { Located } from '@ext/kernel/types'
import type { CompileContext } from '../config/context.js'
import { misspeltToolField, toolFieldOf } from '../config/fields.js'
import type { SkillHeader } from '../config/header.js'
import { forks, readMode } from '../config/mode.js'
import { mergesLimits, readTools } from '../config/tools.js'
import type { Skill } from '../types.js'
import { limitsOf } from './terms.js'

/** The field of a header that can't be parsed which may limit the tools of a skill: what it says nobody knows. */
export function limitInText(header: string, before: Skill): string | undefined {
  const fields = [...header.matchAll(FIELD)].map(([, name = '', value = '']) => [name, value] as const)
  const isFork = before.mode === 'fork' || fields.some(([name, value]) => forks({ [name.toLowerCase()]: value }))
  return fields.find(([name]) => isLimit(name, isFork))?.[0]
}

/** The field of a header, with something else wrong in it, that limits more than the version before did. */
export function newLimit(entry: Located<unknown>, before: Skill, context: CompileContext): string | undefined {
  if (!isMap(entry.value)) return undefined
  const header = { ...entry, value: entry.value as SkillHeader }
  const { mode, unclear } = readMode(header)
  const isFork = mode === 'fork' || unclear !== undefined
  const field = Object.keys(header.value).find((each) => isLimit(each, isFork) || mergesLimits(each, header.value))
  if (field === undefined) return undefined
  const { lists, diagnostics } = readTools(header, mode, context)
  const known = limitsOf(before).map((limit) => JSON.stringify(limit))
  const isKnown = limitsOf({ ...before, ...lists }).every((limit) => known.includes(JSON.stringify(limit)))
  return isKnown && unclear === undefined && !hasErrors(diagnostics) ? undefined : field
}

/** What stands where a field may begin, also in braces; a nested one is taken for a limit rather than overlooked. */
const FIELD = /(?:^|[{,])[ \t]*["']?(\p{L}[^:"'{,\n]*?)["']?[ \t]*:[ \t]*([^\s,}]*)/gmu

function isLimit(field: string, isFork: boolean): boolean {
  const means = toolFieldOf(field) ?? misspeltToolField(field)
  return means !== undefined && (means !== 'allowed-tools' || isFork)
}
