import { formatPlace } from '@ext/kernel'
import type { TraceStep } from '@ext/kernel/contract'
import type { PlacedRule } from './ruleset.js'

/** ``deny rule `Edit(.env)` (/repo/.ext/config.yaml:4:7)`` */
export function ruleAt({ effect, compiled, place }: PlacedRule): string {
  return `${effect} rule \`${compiled.rule.text}\` (${formatPlace(place())})`
}

/** What a step says of the rule that it rests on. */
export function attribution({ compiled, place }: PlacedRule): Required<Pick<TraceStep, 'rule' | 'source'>> {
  return { rule: compiled.rule.text, source: place() }
}

export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
