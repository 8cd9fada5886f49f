import type { TraceStep } from '@ext/kernel/contract'
import type { CommandPattern } from '../rule/command/pattern.js'
import type { CommandReading } from '../rule/command/read.js'
import { commandKeys } from '../rule/keys.js'
import type { CallReading } from '../rule/reading.js'
import type { DecideContext } from './decide.js'
import { ruleNearEffect, ruleNearWords } from './effects.js'
import type { LineJudgement } from './line.js'
import type { PlacedRule, ToolRules } from './ruleset.js'
import { attribution } from './words.js'

const MAX_NAMED = 3

/** The floor under command lines: what can't be judged is asked, in every mode. */
export function shellFloor(
  { tool, command, links }: CallReading,
  line: LineJudgement | undefined,
  own: ToolRules,
  context: DecideContext,
): TraceStep {
  const step = (verdict: TraceStep['verdict'], reason: string): TraceStep => ({ layer: 'shell', verdict, reason })
  if (command === undefined) return step('none', `${tool.name} runs no command line.`)
  if (command === 'unreadable' || !line) return step('ask', 'The call has no text for its command line.')
  const { unknowns } = line
  if (unknowns.length > 0) {
    const named = unknowns.slice(0, MAX_NAMED).map(({ message }) => message)
    const more = unknowns.length > MAX_NAMED ? [`${unknowns.length - MAX_NAMED} more parts can't be judged.`] : []
    return step('ask', [...new Set(named), ...more].join(' '))
  }
  const near = commandNear(command, own)
  if (near) {
    return { ...step('ask', `What it runs may be what the ${near.shown} speaks about.`), ...attribution(near) }
  }
  const named = ruleNearWords(command, context.rules)
  if (named) {
    return { ...step('ask', `It names a host that the ${named.shown} speaks about.`), ...attribution(named) }
  }
  for (const effect of command.analysis.effects) {
    const rule = ruleNearEffect(effect, context.rules, links)
    if (!rule) continue
    const what = effect.kind === 'net' ? (effect.host ?? 'some host') : (effect.path ?? 'some file')
    return { ...step('ask', `\`${what}\` may be what the ${rule.shown} speaks about.`), ...attribution(rule) }
  }
  return step('none', 'Everything in the command line can be judged.')
}

/** A deny or ask rule about a command that a unit may turn out to be. */
function commandNear({ units }: CommandReading, { deny, ask }: ToolRules): PlacedRule | undefined {
  for (const { suspects, open } of units) {
    for (const index of suspects.length + open.length > 0 ? [deny, ask] : []) {
      for (const text of suspects) {
        const found = index.first(commandKeys(text), (rule) => mayFit(rule, text, (pattern) => pattern.matches(text)))
        if (found) return found
      }
      for (const text of open) {
        if (text === '') continue
        // Where the second word is open, the index does not know which rules begin with it.
        const rules = text.split(' ').length > 2 ? index.of(commandKeys(text)) : index
        // What is not known may also be nothing: `xargs ls` without input is `ls`.
        const fits = (pattern: CommandPattern) => pattern.mayMatch(text) || pattern.matches(text.trimEnd())
        for (const rule of rules) if (mayFit(rule, undefined, fits)) return rule
      }
    }
  }
  return undefined
}

/** @param whole the command, if all of it is known: a regular expression may fit whatever is not */
function mayFit(
  { compiled: { specifiers } }: PlacedRule,
  whole: string | undefined,
  fits: (pattern: CommandPattern) => boolean,
): boolean {
  return specifiers.some(
    (each) =>
      (each.kind === 'command' && fits(each.pattern)) ||
      (each.kind === 'regex' && (whole === undefined || each.part(whole))),
  )
}
