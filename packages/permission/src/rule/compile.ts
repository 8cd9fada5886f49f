import { suggest } from '@ext/kernel'
import type { Behavior } from '@ext/kernel/contract'
import { compileNameGlob, compileRegex, type PathAnchors } from '@ext/kernel/match'
import { expandHome } from './command/home.js'
import { type CommandPattern, compileCommandPattern } from './command/pattern.js'
import { compileDomain, type DomainTest, domainOf } from './domain.js'
import { type Param, primaryField, readParam } from './params.js'
import { parseRule, type Rule, type RuleProblem } from './parse.js'
import { compilePathSpecifier, type PathTest } from './path.js'
import type { ReadingContext } from './reading.js'
import { compileServerRule, isGlob, isServerRule, serverRuleProblem } from './server.js'
import {
  isOtherCase,
  KNOWN_TOOL_NAMES,
  likenessOf,
  OTHER_TOOL_NAMES,
  type ToolFamily,
  type ToolLikenessFound,
  type ToolTest,
} from './tools.js'

/**
 * What a rule is used for, which decides how calls are read: `allow` takes the narrowest reading, `ask` and `deny` a
 * wide one. `condition` is for whoever runs something when a rule fits, such as the `if` of a hook: no question stands
 * behind it, so a command whose program can't be known fits as well.
 */
export type RuleEffect = Behavior | 'condition'

export interface RuleContext extends ReadingContext {
  readonly effect: RuleEffect
  readonly anchors: PathAnchors
}

/** What a rule speaks about within the calls of its tools. */
export type Specifier =
  | { readonly kind: 'command'; readonly pattern: CommandPattern }
  | ({ readonly kind: 'path' } & PathTest)
  | ({ readonly kind: 'domain' } & DomainTest)
  | { readonly kind: 'target'; readonly pattern: CommandPattern }
  | { readonly kind: 'params'; readonly params: readonly Param[] }
  | { readonly kind: 'regex'; readonly whole: (text: string) => boolean; readonly part: (text: string) => boolean }

/** What a command line may do that a rule speaks about as well, although it is about another tool. */
export type Hand = 'read' | 'write' | 'net'

/** A rule that is ready for {@link matchCall}. */
export interface CompiledRule {
  readonly rule: Rule
  readonly context: RuleContext
  /**
   * What of the rule has no meaning here. It then has its safe reading: an allow rule matches nothing, a deny or ask
   * rule matches every call of the tools it names.
   */
  readonly problem?: RuleProblem
  readonly names: ToolTest
  /** Without one it speaks about every call of its tools, with several about those that one of them fits. */
  readonly specifiers: readonly Specifier[]
  /** Those of its specifiers that are about commands; one that is `undefined` for a rule without specifiers. */
  readonly patterns: readonly (CommandPattern | undefined)[]
  readonly hands: readonly Hand[]
}

/** Says what a rule means. Never throws; see {@link CompiledRule.problem}. */
export function compileRule(rule: Rule, context: RuleContext): CompiledRule {
  const { effect, tools } = context
  const wide = effect !== 'allow'
  const { specifiers = [], problem, like } = readSpecifiers(rule, context)
  const whole = specifiers.length === 0
  const patterns = whole ? [undefined] : specifiers.flatMap((each) => (each.kind === 'command' ? [each.pattern] : []))
  const base = { rule, context, specifiers, patterns, ...(problem ? { problem } : {}) }
  if (isServerRule(rule.tool)) {
    const globProblem = wide ? undefined : serverRuleProblem(rule.tool)
    return {
      ...base,
      names: compileServerRule(rule.tool, wide),
      hands: [],
      ...(globProblem && !problem ? { problem: globProblem } : {}),
    }
  }
  if (isGlob(rule.tool)) {
    const glob = compileNameGlob(rule.tool)
    const names: ToolTest = ({ tool }) => glob.test(tool.name)
    return { ...base, names, hands: [], ...(wide && whole ? {} : { problem: NAME_WILDCARD }) }
  }
  const families =
    like?.family === undefined || whole ? wholeFamily(rule.tool) : familiesOfPathRule(rule.tool, like.family, effect)
  const ownParams = specifiers.length > 0 && specifiers.every(({ kind }) => kind === 'params')
  return {
    ...base,
    names: toolTest(rule.tool, ownParams ? [] : families, likenessOf(rule.tool, tools)?.as ?? rule.tool, effect),
    hands: ownParams ? [] : handsOf(rule, like, whole ? wholeFamily(rule.tool) : families, effect),
  }
}

/** Rules of one effect, and what is wrong with the others. */
export interface CompiledRules {
  readonly rules: readonly CompiledRule[]
  readonly problems: readonly (RuleProblem & { readonly text: string })[]
}

/** Parses and compiles a list of rules. One that can't be parsed or has a problem costs itself only. */
export function compileRules(texts: readonly string[], context: RuleContext): CompiledRules {
  const rules: CompiledRule[] = []
  const problems: (RuleProblem & { readonly text: string })[] = []
  for (const text of texts) {
    const parsed = parseRule(text)
    const compiled = parsed.rule && compileRule(parsed.rule, context)
    const fault = compiled ? compiled.problem : parsed.rule ? undefined : parsed
    if (fault) problems.push({ text, problem: fault.problem, hint: fault.hint })
    if (compiled) rules.push(compiled)
  }
  return { rules, problems }
}

interface FoundSpecifiers {
  readonly specifiers?: readonly Specifier[]
  readonly problem?: RuleProblem
  readonly like?: ToolLikenessFound | undefined
}

function readSpecifiers(rule: Rule, context: RuleContext): FoundSpecifiers {
  const like = isServerRule(rule.tool) || isGlob(rule.tool) ? undefined : likenessOf(rule.tool, context.tools)
  const { specifier, kind, params } = rule
  if (specifier === undefined && !params) return { like }
  const wide = context.effect !== 'allow'
  const given = params ?? paramsOf(specifier ?? '', kind)
  const misnamed = given.map(({ field }) => primaryField(field, rule.tool, like)).find((each) => each)
  if (misnamed && (wide || params)) return { like, problem: misnamed }
  const byField: readonly Specifier[] = wide && given.length > 0 ? [{ kind: 'params', params: given }] : []
  if (params) return wide ? { like, specifiers: byField } : { like, problem: PARAMS_NEED_DENY }
  const own = readOwn(rule.tool, specifier ?? '', kind, like, context)
  if (own.specifiers) return { like, specifiers: [...own.specifiers, ...byField] }
  // `bash(rm:*)` is about no field `rm`.
  if (isOtherCase(rule.tool, context.tools)) return { like, problem: noSpecifier(rule.tool, context) }
  // What is no specifier of the tool itself can still be a field of its input.
  if (byField.length > 0 && !own.problem) return { like, specifiers: byField }
  if (given.length > 0 && !own.problem) return { like, problem: PARAMS_NEED_DENY }
  return { like, problem: own.problem ?? noSpecifier(rule.tool, context) }
}

function paramsOf(specifier: string, kind: Rule['kind']): readonly Param[] {
  const param = kind === undefined && domainOf(specifier) === undefined ? readParam(specifier) : undefined
  return param ? [param] : []
}

function readOwn(
  tool: string,
  specifier: string,
  kind: Rule['kind'],
  like: ToolLikenessFound | undefined,
  { effect, anchors }: RuleContext,
): { readonly specifiers?: readonly Specifier[]; readonly problem?: RuleProblem } {
  const wide = effect !== 'allow'
  const wanted = (form: NonNullable<Rule['kind']>) => kind === undefined || kind === form
  if (kind === 'regex') return compileRegexSpecifier(specifier, like)
  if (like?.command !== undefined && wanted('command')) {
    const atHome = expandHome(specifier, anchors.home)
    // A wide rule is about the text itself as well.
    const texts = atHome === undefined ? [specifier] : wide ? [specifier, atHome] : [atHome]
    const specifiers = texts.map((text): Specifier => {
      const pattern = compileCommandPattern(wide && anchors.ignoreCase ? text.toLowerCase() : text, { wide })
      return { kind: 'command', pattern }
    })
    return { specifiers }
  }
  if (like?.family !== undefined && wanted('path')) {
    const path = compilePathSpecifier(specifier, anchors, wide)
    return path.never === undefined ? { specifiers: [{ kind: 'path', ...path }] } : { problem: noPath(path.never) }
  }
  if (like?.url !== undefined && wanted('domain')) {
    const domain = kind === 'domain' ? specifier : domainOf(specifier)
    if (domain === undefined) {
      if (/^[a-z][a-z\d+.-]*:\/\//i.test(specifier)) return { problem: noAddress(tool, specifier) }
      return readParam(specifier) ? {} : { problem: NO_DOMAIN_RULE }
    }
    const test = compileDomain(domain)
    return 'problem' in test ? { problem: test } : { specifiers: [{ kind: 'domain', ...test }] }
  }
  if (like?.target !== undefined && wanted('command')) {
    const pattern = compileCommandPattern(wide ? specifier.toLowerCase() : specifier, { wide })
    return { specifiers: [{ kind: 'target', pattern }] }
  }
  return kind === undefined ? {} : { problem: wrongKind(tool, kind) }
}

function compileRegexSpecifier(pattern: string, like: ToolLikenessFound | undefined) {
  if (like?.command === undefined && like?.path === undefined && like?.url === undefined && !like?.target) {
    return { problem: REGEX_ABOUT_NOTHING }
  }
  const part = compileRegex(pattern, { anchored: false })
  const whole = compileRegex(pattern, { anchored: true })
  if (!part.matcher || !whole.matcher) {
    const why = part.problem ?? whole.problem ?? 'it is not understood'
    return { problem: { problem: `its regular expression can't be used: ${why}`, hint: 'Use the syntax of RE2.' } }
  }
  return { specifiers: [{ kind: 'regex', part: part.matcher.test, whole: whole.matcher.test }] } as const
}

/** `Read` and `Edit` stand for all tools that do the like; `Grep` or `Write` for themselves. */
function wholeFamily(tool: string): readonly ToolFamily[] {
  return tool === 'Read' || tool === 'Edit' ? [tool] : []
}

/**
 * A path that is closed to one tool is closed to its siblings, and one that may not be read may not be edited: an edit
 * shows what was there. What is open to one tool is open to no other.
 */
function familiesOfPathRule(tool: string, family: ToolFamily, effect: RuleEffect): readonly ToolFamily[] {
  if (effect === 'allow') return wholeFamily(tool)
  return effect === 'deny' && family === 'Read' ? ['Read', 'Edit'] : [family]
}

/** What a rule says about files and hosts holds for whatever a command line does to them. */
function handsOf(
  { tool }: Rule,
  like: ToolLikenessFound | undefined,
  families: readonly ToolFamily[],
  effect: RuleEffect,
): readonly Hand[] {
  if (effect === 'condition') return []
  if (like?.url !== undefined) return effect === 'allow' ? [] : ['net']
  if (like?.family === undefined) return []
  const closed = effect === 'deny' && tool === 'Read' ? ['Read', 'Edit'] : families
  return closed.map((family) => (family === 'Read' ? 'read' : 'write'))
}

function toolTest(name: string, families: readonly ToolFamily[], as: string, effect: RuleEffect): ToolTest {
  const wide = effect !== 'allow'
  const same = (other: string) => other === name || (wide && other.toLowerCase() === name.toLowerCase())
  const twin = as === 'Task' ? 'Agent' : as === 'Agent' ? 'Task' : undefined
  return ({ tool, like }) => {
    // A server can call its tool what it likes; that allows nothing.
    if (same(tool.name) && (wide || tool.source.server === undefined)) return true
    if (!like) return false
    return same(like.as) || like.as === twin || (like.family !== undefined && families.includes(like.family))
  }
}

const NAME_WILDCARD: RuleProblem = {
  problem: 'a wildcard in the tool name has a meaning in deny and ask rules only, and without parentheses',
  hint: 'Name the tool, or a server with `mcp__server__*`.',
}

const PARAMS_NEED_DENY: RuleProblem = {
  problem: 'a field of the input can be named in deny and ask rules only',
  hint: 'Allow the tool, and deny or ask the values that must not pass.',
}

const NO_DOMAIN_RULE: RuleProblem = {
  problem: 'its parentheses hold no domain',
  hint: 'Write `WebFetch(domain:example.com)`.',
}

function noAddress(tool: string, address: string): RuleProblem {
  const host = /^[a-z][a-z\d+.-]*:\/\/([\w.*-]+)/i.exec(address)?.[1] ?? 'example.com'
  return {
    problem: 'its parentheses hold an address, and rules are about hosts',
    hint: `Write \`${tool}(domain:${host})\`, which is about everything on that host.`,
  }
}

const REGEX_ABOUT_NOTHING: RuleProblem = {
  problem: 'a regular expression needs a tool with a command, a path, a URL or a name to start',
  hint: 'Name such a tool, or use `params`.',
}

function noPath(never: string): RuleProblem {
  return {
    problem: `the path in its parentheses can never match: ${never}`,
    hint: 'Write it as in .gitignore, behind `//` for the root, `~/`, `/` for the folder of this file, or `./`.',
  }
}

function wrongKind(tool: string, kind: string): RuleProblem {
  return { problem: `\`${tool}\` has no ${kind}`, hint: `Name a tool that has one, or leave \`${kind}\` out.` }
}

function noSpecifier(tool: string, { tools }: RuleContext): RuleProblem {
  if (isServerRule(tool)) return SERVER_SPECIFIER
  // One that it knows takes none; a name that is only like it is another tool.
  const typo = OTHER_TOOL_NAMES.includes(tool) ? undefined : suggest(tool, [...KNOWN_TOOL_NAMES, ...Object.keys(tools)])
  return {
    problem: `parentheses after \`${tool}\` are not understood`,
    hint: typo
      ? `Did you mean \`${typo}\`?`
      : `Write \`${tool}\` for all its calls, or \`${tool}(field:value)\` in deny and ask.`,
  }
}

const SERVER_SPECIFIER: RuleProblem = {
  problem: 'a rule for tools of a server takes nothing but `field:value` in its parentheses',
  hint: 'List the tool in the tool table as Read, Edit or Bash, and write the rule for that.',
}
