import { allowUnits, type LineGrant, type Speaker } from '../rule/command/allow.js'
import type { CommandReading, UnitReading } from '../rule/command/read.js'
import { pathKeys } from '../rule/keys.js'
import { unitPatterns } from '../rule/match.js'
import { somethingBelow } from '../rule/path.js'
import { withLinks } from '../rule/reading.js'
import type { Effect } from '../shell/index.js'
import type { DecideContext } from './decide.js'
import type { PlacedRule, ToolRules } from './ruleset.js'

/** What allow rules say about a command line. */
export interface LineJudgement extends LineGrant<PlacedRule> {
  /** What is written although no rule about the command or the file lets it. */
  readonly uncovered: readonly Effect[]
}

/** Holds the allow rules of files and session against a line. */
export function judgeLine(command: CommandReading, tools: readonly ToolRules[], context: DecideContext): LineJudgement {
  const find = ({ narrow, narrowKeys }: UnitReading) => {
    const speakers: Speaker<PlacedRule>[] = []
    for (const { allow } of tools) {
      for (const by of allow.of(narrowKeys)) {
        if (by.compiled.problem || isOver(by, context)) continue
        speakers.push({ by, patterns: unitPatterns(by.compiled, narrow) })
      }
    }
    return speakers
  }
  const line = allowUnits(command, find)
  const writes = command.analysis.effects.filter(({ kind }) => kind === 'write')
  if (writes.length === 0) return { ...line, uncovered: [] }
  const covers = coverage(command, line)
  return { ...line, uncovered: writes.filter((effect) => !covers(effect.unit) && !fileRule(effect, context)) }
}

/** A rule about a command covers its redirects; one about what a wrapper runs covers those of the wrapper. */
function coverage({ units }: CommandReading, { grants, missing }: LineGrant<PlacedRule>) {
  const covers = (index: number): boolean => {
    if (grants[index] !== undefined) return true
    if (!units[index]?.unit.transparent) return false
    const inner = units.flatMap(({ unit }, at) => (unit.parent === index ? [at] : []))
    return inner.length > 0 && inner.every(covers)
  }
  const all = missing.length === 0 && grants.some((grant) => grant !== undefined)
  return (unit: number | undefined) => (unit === undefined ? all : covers(unit))
}

/**
 * The allow rule about files that lets a place be written.
 * @param far only rules that name a place of their own, which is what it takes outside the workspace
 */
export function fileRule(
  { path, pattern, recursive }: Pick<Effect, 'path' | 'pattern' | 'recursive'>,
  context: DecideContext,
  { far = false }: { readonly far?: boolean } = {},
): PlacedRule | undefined {
  if (path === undefined || pattern) return undefined
  const paths = withLinks([path], context.links).map((each) => (recursive ? somethingBelow(each) : each))
  // Nobody but a person and their files lets anything be written outside the workspace.
  const ofTerms = far ? [] : (context.terms ?? []).flatMap(({ grants }) => grants ?? [])
  for (const rules of [context.rules, ...(context.grants ? [context.grants] : []), ...ofTerms]) {
    const found = rules.hands('write', 'allow').first(paths.flatMap(pathKeys), (rule) => {
      const { problem, specifiers } = rule.compiled
      if (problem || isOver(rule, context)) return false
      if (specifiers.length === 0) return !far
      return specifiers.some((each) => each.kind === 'path' && (!far || each.farPlace) && paths.every(each.test))
    })
    if (found) return found
  }
  return undefined
}

export function isOver({ expiresAt }: PlacedRule, { now }: DecideContext): boolean {
  return expiresAt !== undefined && now >= expiresAt
}
