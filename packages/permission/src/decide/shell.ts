import type { TraceStep } from '@ext/kernel/contract'
import { resolvePath } from '@ext/kernel/match'
import { isExact } from '../rule/match.js'
import { somethingBelow } from '../rule/path.js'
import type { CallReading } from '../rule/reading.js'
import type { PlacedRule, Ruleset } from './ruleset.js'
import { ruleAt } from './words.js'

/**
 * The floor under command lines: what can't be judged by plain words is asked, in every mode.
 * @param allowed the allow rule that speaks for the call
 */
export function shellStep(reading: CallReading, rules: Ruleset, allowed: PlacedRule | undefined): TraceStep {
  const { command } = reading
  if (!command) return { layer: 'shell', verdict: 'none', reason: `${reading.tool.name} runs no command line.` }
  if (command.unclear !== undefined) {
    return {
      layer: 'shell',
      verdict: 'ask',
      reason: `The command line can't be judged by plain words: ${command.unclear}.`,
    }
  }
  const named = pathOfRule(command.words, rules)
  if (named) {
    return {
      layer: 'shell',
      verdict: 'ask',
      reason: `The command names \`${named.word}\`, which the ${ruleAt(named.rule)} speaks about.`,
      ...attribution(named.rule),
    }
  }
  if (allowed && isExact(allowed.compiled)) {
    return { layer: 'shell', verdict: 'none', reason: 'The command is plain words, all of them in an allow rule.' }
  }
  if (command.exactOnly !== undefined) {
    return {
      layer: 'shell',
      verdict: 'ask',
      reason: `${sentence(command.exactOnly)}, so only an allow rule with exactly this command lets it pass.`,
    }
  }
  const near = [...rules.deny, ...rules.ask].find(({ compiled: { specifier, names } }) => {
    if (specifier?.kind !== 'command' || !specifier.near || !names(reading)) return false
    return command.widest.some(({ text, start }) => specifier.near?.matches(text, start))
  })
  if (near) {
    return {
      layer: 'shell',
      verdict: 'ask',
      reason: `The command is close to what the ${ruleAt(near)} speaks about, and other options may do the same.`,
      ...attribution(near),
    }
  }
  return { layer: 'shell', verdict: 'none', reason: 'The command is plain words.' }
}

/**
 * The first word that may be a path which a deny or ask rule about files covers. What the program does with it is not
 * known, so it is asked.
 */
function pathOfRule(
  words: readonly string[],
  { deny, ask, host }: Ruleset,
): { readonly word: string; readonly rule: PlacedRule } | undefined {
  const rules = [...deny, ...ask].filter(({ compiled }) => compiled.specifier?.kind === 'path')
  if (rules.length === 0) return undefined
  for (const word of words.slice(1)) {
    for (const text of pathsIn(word)) {
      const path = resolvePath(text, host)
      const rule = rules.find(({ compiled: { specifier } }) =>
        specifier?.kind === 'path' ? specifier.test(path) || specifier.test(somethingBelow(path)) : false,
      )
      if (rule) return { word, rule }
    }
  }
  return undefined
}

/** The word itself, what stands behind `=`, and what is attached to an option: `--output=x`, `of=x`, `-fx`. */
function pathsIn(word: string): readonly string[] {
  const value = word.includes('=') ? [word.slice(word.indexOf('=') + 1)] : []
  const attached = /^-[^-]/.test(word) ? [word.slice(2), word.slice(Math.max(2, word.search(/[/~.]/)))] : []
  return [word, ...value, ...attached].filter((text) => text !== '')
}

function attribution(rule: PlacedRule): Pick<TraceStep, 'rule' | 'source'> {
  return { rule: rule.compiled.rule.text, source: rule.place() }
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
