import type { RunTerms, TraceStep } from '@ext/kernel/contract'
import { type CompiledRule, compileRule } from '../rule/compile.js'
import { allowsReading } from '../rule/match.js'
import { parseRule, toolOfBrokenRule } from '../rule/parse.js'
import type { CallReading } from '../rule/reading.js'
import type { DecideContext } from './decide.js'
import { wideRule } from './rules.js'
import { type PlacedRule, placedRule, type Ruleset, rulesetOf } from './ruleset.js'
import { grantsOf } from './suggest.js'

/** What somebody who is active in a run allows and refuses, compiled for the working folder of the session. */
export interface CompiledTerms {
  readonly by: string
  readonly disallowed?: Ruleset
  readonly restrict?: readonly CompiledRule[]
  readonly grants?: Ruleset
}

export function compileTerms({ by, disallowed, restrict, grants }: RunTerms, rules: Ruleset): CompiledTerms {
  const granted = (grants ?? []).map((rule) => ({ rule }))
  return {
    by,
    ...(disallowed ? { disallowed: rulesetOf(disallowed.map(denyRule(by, rules)), [], rules.host) } : {}),
    ...(restrict ? { restrict: restrict.flatMap(allowRule(rules)) } : {}),
    ...(granted.length > 0 && !rules.managedOnly ? { grants: grantsOf(granted, rules, by) } : {}),
  }
}

/** A limit that can't be understood counts for whatever it may have meant. */
function denyRule(by: string, { host }: Ruleset): (text: string, order: number) => PlacedRule {
  return (text, order) => {
    const tool = toolOfBrokenRule(text) ?? '*'
    const rule = parseRule(text).rule ?? { text, tool }
    const compiled = compileRule(rule, { ...contextOf(host), effect: 'deny' })
    return placedRule({ effect: 'deny', order, compiled }, () => ({ layer: 'session', name: by }))
  }
}

function allowRule({ host }: Ruleset): (text: string) => readonly CompiledRule[] {
  return (text) => {
    const { rule } = parseRule(text)
    return rule ? [compileRule(rule, { ...contextOf(host), effect: 'allow' })] : []
  }
}

function contextOf(host: Ruleset['host']) {
  const { tools, shell } = host
  return { anchors: { ...host, sourceDir: host.cwd }, tools, ...(shell ? { shell } : {}) }
}

/** The refusal of whoever is active in the run; `undefined` where nobody refuses. Nothing makes it milder. */
export function termsStep(
  reading: CallReading,
  isSystem: boolean,
  terms: readonly CompiledTerms[],
  context: DecideContext,
): TraceStep | undefined {
  for (const { by, disallowed, restrict } of terms) {
    const rule = disallowed && disallowedBy(reading, disallowed, context)
    if (rule) {
      const text = rule.compiled.rule.text
      return refusal(`It is not to be had while \`${by}\` is active, which disallows \`${text}\`.`, text, by)
    }
    if (restrict && !isSystem && !isAmong(restrict, reading)) {
      const list = restrict.map(({ rule: { text } }) => `\`${text}\``).join(', ')
      const only = list === '' ? 'no tool at all' : `${list} only`
      return refusal(`It is not to be had while \`${by}\` is active, which admits ${only}.`, undefined, by)
    }
  }
  return undefined
}

function disallowedBy(reading: CallReading, disallowed: Ruleset, context: DecideContext): PlacedRule | undefined {
  return wideRule(reading, 'deny', undefined, disallowed.ofTool(reading.tool), { ...context, rules: disallowed })
}

/** A tool that is listed as a whole is admitted with every call, also one that nobody can judge: rules do that. */
function isAmong(restrict: readonly CompiledRule[], reading: CallReading): boolean {
  const whole = ({ specifiers, problem, names }: CompiledRule) =>
    specifiers.length === 0 && problem === undefined && names(reading)
  return restrict.some(whole) || allowsReading(restrict, reading)
}

function refusal(reason: string, rule: string | undefined, by: string): TraceStep {
  const source = { layer: 'session', name: by } as const
  return { layer: 'terms', verdict: 'deny', reason, source, ...(rule === undefined ? {} : { rule }) }
}
