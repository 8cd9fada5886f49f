import { formatPlace, type Snapshot, type Source, type SourceRef } from '@ext/kernel'
import type { Behavior, PermissionMode, ToolKind } from '@ext/kernel/contract'
import { type CompiledEntry, readEntryName } from '../config/entry.js'
import type { RuleHost } from '../config/pipeline.js'
import { type CompiledRule, compileRule, type Hand } from '../rule/compile.js'
import { toolOfBrokenRule } from '../rule/parse.js'
import { type CalledTool, knownTool, likenessOf, type RuleTool } from '../rule/tools.js'
import type { Ruling } from './decide.js'
import { RuleIndex } from './rule-index.js'

/** A rule with the place where it is written. */
export interface PlacedRule {
  readonly effect: Behavior
  readonly compiled: CompiledRule
  /** Farthest layer first, and within a file from top to bottom. */
  readonly order: number
  /** What its author says, for people and for the model. */
  readonly reason?: string
  /** Milliseconds since the epoch; from then on it allows nothing. */
  readonly expiresAt?: number
  /** Where it is written. Found when it is asked for, and then remembered. */
  readonly source: Source
  /** ``deny rule `Edit(.env)` (/repo/.ext/config.yaml:4:7)`` */
  readonly shown: string
}

/** @param place is asked once */
export function placedRule(rule: Omit<PlacedRule, 'source' | 'shown'>, place: () => Source): PlacedRule {
  let source: Source | undefined
  let shown: string | undefined
  return {
    ...rule,
    get source() {
      source ??= place()
      return source
    },
    get shown() {
      shown ??= `${rule.effect} rule \`${rule.compiled.rule.text}\` (${formatPlace(this.source)})`
      return shown
    },
  }
}

/** Something that may hold deny or ask rules and can't be read: what it may speak of has to be asked. */
export interface Cap {
  /** Stands for the calls that it may have spoken of. */
  readonly compiled: CompiledRule
  readonly what: string
  readonly source: Source
}

/** The rules that may speak about the calls of one tool. */
export interface ToolRules {
  readonly called: CalledTool
  readonly deny: RuleIndex
  readonly ask: RuleIndex
  readonly allow: RuleIndex
  readonly caps: readonly Cap[]
  /** Rulings that depend on nothing of the input; `undefined` when some rule or the tool itself has to do with it. */
  readonly memory: Map<PermissionMode, Map<ToolKind, Ruling>> | undefined
}

/** The rules of a snapshot, compiled for one working folder. */
export interface Ruleset {
  readonly host: RuleHost
  readonly rules: readonly PlacedRule[]
  /** Folders in which the agent works: the working folder first. */
  readonly roots: readonly string[]
  /** Only managed allow rules count, so nothing that a session remembers does. */
  readonly managedOnly: boolean
  /** Deny, ask and allow rules about files and hosts, which hold for what command lines do to them as well. */
  hands(hand: Hand, effect: Behavior): RuleIndex
  ofTool(tool: RuleTool): ToolRules
}

/** More tools than any agent has. */
const MAX_TOOLS = 1000

/** @param host rules are compiled for its working folder */
export function compileRuleset(snapshot: Snapshot<CompiledEntry>, host: RuleHost): Ruleset {
  const managedOnly = isManagedOnly(snapshot)
  const isLeftOut = ({ layer }: SourceRef) => managedOnly && layer !== 'managed' && layer !== 'built-in'
  const rules = snapshot.entries.flatMap(({ value, at, source: from }, order): readonly PlacedRule[] => {
    if (value.kind !== 'rule' || (value.effect === 'allow' && isLeftOut(from))) return []
    const { effect, reason, expiresAt } = value
    const rule = {
      effect,
      order,
      compiled: value.compiledFor(host.cwd),
      ...(reason === undefined ? {} : { reason }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    }
    return [placedRule(rule, () => at())]
  })
  return rulesetOf(rules, capsOf(snapshot, host), host, managedOnly)
}

/** Whether managed configuration lets only managed allow rules count. */
function isManagedOnly({ entries }: Snapshot<CompiledEntry>): boolean {
  return entries.some(({ value }) => value.kind === 'managed-only')
}

export function rulesetOf(
  rules: readonly PlacedRule[],
  caps: readonly Cap[],
  host: RuleHost,
  managedOnly = false,
): Ruleset {
  const byTool = new Map<string, ToolRules>()
  const byHand = new Map<string, RuleIndex>()
  const of = (effect: Behavior, speaks: (rule: CompiledRule) => boolean) =>
    new RuleIndex(rules.filter((rule) => rule.effect === effect && speaks(rule.compiled)))
  return {
    host,
    rules,
    roots: host.shell?.roots ?? [host.cwd],
    managedOnly,
    hands(hand, effect) {
      const key = `${hand} ${effect}`
      let found = byHand.get(key)
      if (!found) {
        found = of(effect, ({ hands }) => hands.includes(hand))
        byHand.set(key, found)
      }
      return found
    },
    ofTool(tool) {
      const { name, source } = tool
      const known = byTool.get(name)
      if (known && isSame(known.called.tool.source, source)) return known
      const called = { tool, like: likenessOf(name, host.tools, source.server) }
      const about = ({ names }: CompiledRule) => names(called)
      const lists = { deny: of('deny', about), ask: of('ask', about), allow: of('allow', about) }
      const found: ToolRules = {
        called,
        ...lists,
        caps: caps.filter(({ compiled }) => about(compiled)),
        memory: dependsOnInput(called, Object.values(lists)) ? undefined : new Map(),
      }
      if (byTool.size >= MAX_TOOLS) byTool.clear()
      byTool.set(name, found)
      return found
    },
  }
}

function isSame(a: CalledTool['tool']['source'], b: CalledTool['tool']['source']): boolean {
  return a.server === b.server && a.tool === b.tool
}

function dependsOnInput({ like }: CalledTool, lists: readonly RuleIndex[]): boolean {
  if (like && (like.command ?? like.path ?? like.url ?? like.target) !== undefined) return true
  return lists.some((list) =>
    [...list].some(({ compiled, expiresAt }) => compiled.specifiers.length > 0 || expiresAt !== undefined),
  )
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
