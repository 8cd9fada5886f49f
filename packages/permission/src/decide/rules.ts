import { formatPlace } from '@ext/kernel'
import type { TraceStep } from '@ext/kernel/contract'
import { isExact, matchReading } from '../rule/match.js'
import type { CallReading } from '../rule/reading.js'
import type { PlacedRule, Ruleset } from './ruleset.js'
import { ruleAt } from './words.js'

export interface RulesVerdict {
  readonly step: TraceStep
  /** The allow rule that speaks for the call, also when something stricter decides. */
  readonly allowed: PlacedRule | undefined
}

/** Deny, then ask, then allow, over all layers. Which rule says more exactly what the call is never matters. */
export function rulesStep(reading: CallReading, rules: Ruleset): RulesVerdict {
  const speaks = ({ compiled }: { readonly compiled: PlacedRule['compiled'] }) => matchReading(compiled, reading)
  const allows = rules.allow.filter(speaks)
  const allowed = allows.find(({ compiled }) => isExact(compiled)) ?? allows[0]
  const denied = rules.deny.find(speaks)
  if (denied) return { step: byRule(denied), allowed }
  const cap = rules.caps.find(speaks)
  if (cap) {
    const reason = `${cap.what} (${formatPlace(cap.source)}) can't be understood; until it is fixed, what it may have denied is asked.`
    return { step: { layer: 'rules', verdict: 'ask', reason, source: cap.source }, allowed }
  }
  const asked = rules.ask.find(speaks)
  if (asked) return { step: byRule(asked), allowed }
  if (allowed) return { step: byRule(allowed), allowed }
  const count = rules.deny.length + rules.ask.length + rules.allow.length
  return {
    step: { layer: 'rules', verdict: 'none', reason: `None of ${count} rules speaks about this call.` },
    allowed,
  }
}

function byRule(rule: PlacedRule): TraceStep {
  return {
    layer: 'rules',
    verdict: rule.effect,
    reason: `The ${ruleAt(rule)} speaks about this call.`,
    rule: rule.compiled.rule.text,
    source: rule.place(),
  }
}
