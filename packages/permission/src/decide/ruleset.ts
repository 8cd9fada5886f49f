import type { Snapshot, Source } from '@ext/kernel'
import type { Behavior } from '@ext/kernel/contract'
import { type CompiledEntry, readEntryName } from '../config/entry.js'
import type { RuleHost } from '../config/pipeline.js'
import { type CompiledRule, compileRule } from '../rule/compile.js'
import { toolOfBrokenRule } from '../rule/parse.js'
import { knownTool } from '../rule/tools.js'

/** A rule with the place where it is written. */
export interface PlacedRule {
  readonly effect: Behavior
  readonly compiled: CompiledRule
  place(): Source
}

/** Something that may hold deny or ask rules and can't be read: what it may speak of has to be asked. */
export interface Cap {
  /** Stands for the calls that it may have spoken of. */
  readonly compiled: CompiledRule
  readonly what: string
  readonly source: Source
}

/** The rules of a snapshot, compiled for one working folder. */
export interface Ruleset {
  readonly host: RuleHost
  readonly deny: readonly PlacedRule[]
  readonly ask: readonly PlacedRule[]
  readonly allow: readonly PlacedRule[]
  readonly caps: readonly Cap[]
}

/** @param host rules are compiled for its working folder */
export function compileRuleset(snapshot: Snapshot<CompiledEntry>, host: RuleHost): Ruleset {
  const rules = snapshot.entries.flatMap(({ value, at }): readonly PlacedRule[] =>
    value.kind === 'rule' ? [{ effect: value.effect, compiled: value.compiledFor(host.cwd), place: () => at() }] : [],
  )
  const of = (effect: Behavior) => rules.filter((rule) => rule.effect === effect)
  return { host, deny: of('deny'), ask: of('ask'), allow: of('allow'), caps: capsOf(snapshot, host) }
}

function capsOf({ records, files }: Snapshot<CompiledEntry>, host: RuleHost): readonly Cap[] {
  const cap = (tool: string, what: string, source: Source): Cap => ({
    compiled: compileRule(
      { text: tool, tool },
      { effect: 'ask', anchors: { ...host, sourceDir: host.cwd }, tools: host.tools },
    ),
    what,
    source,
  })
  const rules = records.flatMap((record) => {
    const entry = record.verdict === 'broken' ? readEntryName(record.name) : undefined
    if (!entry || entry.effect === 'allow') return []
    const tool = toolOfBrokenRule(entry.text) ?? '*'
    return [cap(knownTool(tool)?.family ?? tool, `The ${entry.effect} rule \`${entry.text}\``, record.source)]
  })
  const failed = files
    .filter(({ state }) => state === 'failed')
    .map(({ layer, file }) => cap('*', `The file ${file}`, { layer, file }))
  return [...rules, ...failed]
}
