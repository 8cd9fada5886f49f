import type { Diagnostic } from '@ext/kernel'
import { matchReading } from '../../rule/match.js'
import { readCall } from '../../rule/reading.js'
import { canonicalText, type LintRule } from '../rules.js'
import { samplesOf } from '../samples.js'
import { type Fault, faultAt, type LintContext, named } from './check.js'

/** The order in which lists decide. How exact a rule is never matters. */
const ORDER = ['deny', 'ask', 'allow'] as const

/** Rules that another rule makes pointless: the same one twice, in two lists, or below one that decides before it. */
export function overlaps(rules: readonly LintRule[], context: LintContext): readonly Diagnostic[] {
  const seen = new Map<string, LintRule>()
  const found: Diagnostic[] = []
  for (const subject of rules) {
    const fault = repeated(subject, seen) ?? shadowed(subject, rules, context)
    if (fault) found.push(faultAt(subject, fault))
  }
  return found
}

/** The same rule of one file in one list. Another file may be trusted or shared where this one is not. */
function repeated(subject: LintRule, seen: Map<string, LintRule>): Fault | undefined {
  const key = `${subject.effect} ${canonicalText(subject)} ${fileOf(subject)}`
  const first = seen.get(key)
  if (!first) {
    seen.set(key, subject)
    return undefined
  }
  return {
    code: 'permission.lint.duplicate',
    message: `The ${named(subject)} means the same as \`${first.rule.text}\` before it.`,
    hint: 'Remove one of the two.',
    related: { message: 'the first of them', source: first.at() },
  }
}

function shadowed(subject: LintRule, rules: readonly LintRule[], { host }: LintContext): Fault | undefined {
  const stricter = rules.filter(({ effect }) => ORDER.indexOf(effect) < ORDER.indexOf(subject.effect))
  if (stricter.length === 0) return undefined
  const text = canonicalText(subject)
  const twin = stricter.find((other) => fileOf(other) === fileOf(subject) && canonicalText(other) === text)
  if (twin) {
    return {
      code: 'permission.lint.contradictory',
      message: `\`${subject.rule.text}\` stands in ${twin.effect} and in ${subject.effect}, and ${twin.effect} alone counts.`,
      hint: 'Remove it from the list in which it is not meant.',
      related: { message: `here it stands in ${twin.effect}`, source: twin.at() },
    }
  }
  const samples = samplesOf(subject, host).map((call) => readCall(call, subject.compiled.context))
  if (samples.length === 0) return undefined
  const above = stricter.find(({ compiled }) => samples.every((sample) => matchReading(compiled, sample)))
  if (!above) return undefined
  return {
    code: 'permission.lint.unreachable',
    message: `The ${named(subject)} never has an effect: the ${named(above)} speaks about the same calls and decides before it.`,
    hint: `How exact a rule is does not matter; ${above.effect} rules have no exceptions. Narrow \`${above.rule.text}\`, or remove this rule.`,
    related: { message: 'the rule that decides', source: above.at() },
  }
}

function fileOf({ source }: LintRule): string {
  return source.file ?? source.name ?? source.layer
}
