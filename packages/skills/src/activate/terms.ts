import { createReporter } from '@ext/kernel'
import type { RunTerms } from '@ext/kernel/contract'
import type { Diagnostic, Snapshot } from '@ext/kernel/types'
import { diagnosticCodes } from '../codes.js'
import type { Skill, ToolRule } from '../types.js'

const report = createReporter(diagnosticCodes)

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

/** What is to be said of skills whose lists of tools approve nothing. */
export function withoutTrust({ entries }: Snapshot<Skill>): readonly Diagnostic[] {
  return entries.flatMap((entry) => {
    const { name, grants, trusted } = entry.value
    const [first] = grants
    if (trusted || !first) return []
    const { pointer } = first
    const message = `\`${name}\` approves no tool in advance: its ${entry.source.layer} file is not approved itself.`
    const hint = 'Read what it does, then approve it; until then its calls are asked about like any other.'
    return [report.info('skills.grants.untrusted', entry.at(pointer), message, { entry: entry.id, pointer, hint })]
  })
}

function textsOf(rules: readonly ToolRule[]): readonly string[] {
  return Object.freeze(rules.map(({ rule }) => rule.text))
}
