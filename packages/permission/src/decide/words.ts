import { formatPlace } from '@ext/kernel'
import type { PlacedRule } from './ruleset.js'

/** ``deny rule `Edit(.env)` (/repo/.ext/config.yaml:4:7)`` */
export function ruleAt({ effect, compiled, place }: PlacedRule): string {
  return `${effect} rule \`${compiled.rule.text}\` (${formatPlace(place())})`
}
