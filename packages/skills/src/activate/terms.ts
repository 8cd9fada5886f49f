import type { RunTerms } from '@ext/kernel/contract'
import type { Skill, ToolRule } from '../types.js'

/** What a skill refuses for as long as it is active: one entry for each of its lists, since each has to let a call pass. */
export function limitsOf({ name, disallowed, restrict }: Skill): readonly RunTerms[] {
  const by = `skill ${name}`
  return Object.freeze([
    ...(disallowed.length > 0 ? [Object.freeze({ by, disallowed: textsOf(disallowed) })] : []),
    ...restrict.map(({ rules }) => Object.freeze({ by, restrict: textsOf(rules) })),
  ])
}

/** What it brings for one run alone. What it grants counts only if somebody trusts its source. */
export function bringsOf({ name, grants, trusted, model, effort }: Skill): readonly RunTerms[] {
  const given = trusted && grants.length > 0
  if (!given && model === undefined && effort === undefined) return NOTHING
  const terms: RunTerms = {
    by: `skill ${name}`,
    ...(given ? { grants: textsOf(grants) } : {}),
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
  }
  return Object.freeze([Object.freeze(terms)])
}

const NOTHING: readonly RunTerms[] = Object.freeze([])

function textsOf(rules: readonly ToolRule[]): readonly string[] {
  return Object.freeze(rules.map(({ rule }) => rule.text))
}
