import { formatPlace } from '@ext/kernel'
import type { TraceStep } from '@ext/kernel/contract'
import { domainKeys, pathKeys } from '../rule/keys.js'
import { matchWide, specifiersAllow } from '../rule/match.js'
import type { CallReading } from '../rule/reading.js'
import type { DecideContext } from './decide.js'
import { ruleOnEffect } from './effects.js'
import { isOver, type LineJudgement } from './line.js'
import type { PlacedRule, ToolRules } from './ruleset.js'
import { attribution } from './words.js'

/**
 * Deny, then ask, then allow, over all layers. Which rule says more exactly what the call is never matters.
 * @param tools the rules of files, and those that the session remembers
 */
export function rulesStep(
  reading: CallReading,
  line: LineJudgement | undefined,
  tools: readonly [ToolRules, ...ToolRules[]],
  context: DecideContext,
): TraceStep {
  const [own] = tools
  const keys = keysOf(reading)
  const denied = wideRule(reading, 'deny', keys, own, context)
  if (denied) return byRule(denied)
  const cap = own.caps.find(({ compiled }) => matchWide(compiled, reading))
  if (cap) {
    const reason = `${cap.what} (${formatPlace(cap.source)}) can't be understood; until it is fixed, what it may have denied is asked.`
    return { layer: 'rules', verdict: 'ask', reason, source: cap.source }
  }
  const asked = wideRule(reading, 'ask', keys, own, context)
  if (asked) return byRule(asked)
  return line ? byLine(line, context) : byAllow(reading, keys, tools, context)
}

export function wideRule(
  reading: CallReading,
  effect: 'deny' | 'ask',
  keys: readonly string[] | undefined,
  own: ToolRules,
  { rules, links }: DecideContext,
): PlacedRule | undefined {
  const found = own[effect].first(keys, ({ compiled }) => matchWide(compiled, reading))
  if (found || reading.command === undefined || reading.command === 'unreadable') return found
  for (const each of reading.command.analysis.effects) {
    const rule = ruleOnEffect(each, effect, rules, links)
    if (rule) return rule
  }
  return undefined
}

function byLine({ grants, missing, uncovered }: LineJudgement, context: DecideContext): TraceStep {
  const speaking = [...new Set(grants.flatMap((grant) => (grant ? [grant.by] : [])))]
  const [first] = speaking
  if (!first) return none(context)
  if (missing.length > 0)
    return { layer: 'rules', verdict: 'none', reason: 'Not every command of the line is allowed.' }
  const [write] = uncovered
  if (write) {
    const reason = `No rule allows that it writes \`${write.path ?? 'somewhere'}\`.`
    return { layer: 'rules', verdict: 'none', reason }
  }
  if (speaking.length === 1) return byRule(first)
  const reason = `The ${speaking.map(({ shown }) => shown).join(', the ')} speak about this call.`
  return { layer: 'rules', verdict: 'allow', reason, ...attribution(first) }
}

function byAllow(
  reading: CallReading,
  keys: readonly string[] | undefined,
  tools: readonly ToolRules[],
  context: DecideContext,
): TraceStep {
  if (reading.command === undefined) {
    for (const { allow } of tools) {
      const allowed = allow.first(
        keys,
        (rule) =>
          !rule.compiled.problem && !isOver(rule, context) && specifiersAllow(rule.compiled.specifiers, reading),
      )
      if (allowed) return byRule(allowed)
    }
  }
  return none(context)
}

function none({ rules, grants }: DecideContext): TraceStep {
  const count = rules.rules.length + (grants?.rules.length ?? 0)
  return { layer: 'rules', verdict: 'none', reason: `None of ${count} rules speaks about this call.` }
}

/** `undefined` for a call that can't be judged: a deny or ask rule speaks about it, whatever it says. */
function keysOf({ like, command, paths, destination }: CallReading): readonly string[] | undefined {
  if (command === 'unreadable') return undefined
  if (command)
    return command.units.length === 1 ? command.units[0]?.wideKeys : command.units.flatMap(({ wideKeys }) => wideKeys)
  if (like?.path !== undefined) return paths?.length === 1 ? pathKeys(paths[0] ?? '') : paths?.flatMap(pathKeys)
  if (destination) return destination.hosts.length === 0 ? undefined : domainKeys(destination.hosts)
  return []
}

function byRule(rule: PlacedRule): TraceStep {
  const because = rule.reason === undefined ? '' : ` Its reason: ${rule.reason}`
  return {
    layer: 'rules',
    verdict: rule.effect,
    reason: `The ${rule.shown} speaks about this call.${because}`,
    ...attribution(rule),
  }
}
