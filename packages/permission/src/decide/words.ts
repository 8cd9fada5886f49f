import type { TraceStep } from '@ext/kernel/contract'
import type { PlacedRule } from './ruleset.js'

/** What a step says of the rule that it rests on. */
export function attribution({ compiled, source }: PlacedRule): Required<Pick<TraceStep, 'rule' | 'source'>> {
  return { rule: compiled.rule.text, source }
}

export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
