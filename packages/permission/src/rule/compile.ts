import { suggest } from '@ext/kernel'
import type { Behavior, ToolTable } from '@ext/kernel/contract'
import { compileNameGlob, type PathAnchors } from '@ext/kernel/match'
import { type CommandPattern, commandWithoutOptions, compileCommandPattern } from './command/pattern.js'
import type { Rule, RuleProblem } from './parse.js'
import { compilePathSpecifier, type PathTest } from './path.js'
import { compileServerRule, isGlob, isServerRule, serverRuleProblem } from './server.js'
import { KNOWN_TOOL_NAMES, likenessOf, type ToolFamily, type ToolTest } from './tools.js'

/**
 * What a rule is used for, which decides how calls are read: `allow` takes the narrowest reading, `ask` and `deny` a
 * wide one. `condition` is for whoever runs something when a rule fits, such as the `if` of a hook: no question stands
 * behind it, so a command whose program can't be known fits as well.
 */
export type RuleEffect = Behavior | 'condition'

export interface RuleContext {
  readonly effect: RuleEffect
  readonly anchors: PathAnchors
  /** Which tools of the host are like which of the rule language, and where they hold command and path. */
  readonly tools: ToolTable
}

/** What a rule speaks about within the calls of its tools. */
export type Specifier =
  | { readonly kind: 'command'; readonly pattern: CommandPattern; readonly near?: CommandPattern }
  | { readonly kind: 'path'; readonly test: PathTest }

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
  readonly specifier?: Specifier
}

/** Says what a rule means. Never throws; see {@link CompiledRule.problem}. */
export function compileRule(rule: Rule, context: RuleContext): CompiledRule {
  const { effect, anchors, tools } = context
  const wide = effect !== 'allow'
  const base = { rule, context }
  if (isServerRule(rule.tool)) {
    const names = compileServerRule(rule.tool, wide)
    const problem = rule.specifier === undefined ? (wide ? undefined : serverRuleProblem(rule.tool)) : SERVER_SPECIFIER
    return { ...base, names, ...(problem ? { problem } : {}) }
  }
  if (isGlob(rule.tool)) {
    const glob = compileNameGlob(rule.tool)
    const names: ToolTest = ({ tool }) => glob.test(tool.name)
    const problem = wide && rule.specifier === undefined ? undefined : NAME_WILDCARD
    return { ...base, names, ...(problem ? { problem } : {}) }
  }
  const named = likenessOf(rule.tool, tools)
  const { specifier } = rule
  if (specifier === undefined) {
    return { ...base, names: toolTest(rule.tool, wholeFamily(rule.tool), effect) }
  }
  if (named?.command !== undefined) {
    const text = wide && anchors.ignoreCase ? specifier.toLowerCase() : specifier
    const near = wide ? commandWithoutOptions(text) : undefined
    return {
      ...base,
      names: toolTest(rule.tool, [], effect),
      specifier: { kind: 'command', pattern: compileCommandPattern(text), ...(near ? { near } : {}) },
    }
  }
  if (named?.family !== undefined) {
    const { test, never } = compilePathSpecifier(specifier, anchors, wide)
    return {
      ...base,
      names: toolTest(rule.tool, familiesOfPathRule(rule.tool, named.family, effect), effect),
      specifier: { kind: 'path', test },
      ...(never === undefined ? {} : { problem: noPath(never) }),
    }
  }
  return { ...base, names: toolTest(rule.tool, [], effect), problem: noSpecifier(rule.tool, tools) }
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

function toolTest(name: string, families: readonly ToolFamily[], effect: RuleEffect): ToolTest {
  const wide = effect !== 'allow'
  const same = (other: string) => other === name || (wide && other.toLowerCase() === name.toLowerCase())
  return ({ tool, like }) => {
    // A server can call its tool what it likes; that allows nothing.
    if (same(tool.name) && (wide || tool.source.server === undefined)) return true
    if (!like) return false
    return same(like.as) || (like.family !== undefined && families.includes(like.family))
  }
}

const SERVER_SPECIFIER: RuleProblem = {
  problem: 'a rule for tools of a server takes no parentheses',
  hint: 'List the tool in the tool table as Read, Edit or Bash, and write the rule for that.',
}

const NAME_WILDCARD: RuleProblem = {
  problem: 'a wildcard in the tool name has a meaning in deny and ask rules only, and without parentheses',
  hint: 'Name the tool, or a server with `mcp__server__*`.',
}

function noPath(never: string): RuleProblem {
  return {
    problem: `the path in its parentheses can never match: ${never}`,
    hint: 'Write it as in .gitignore, behind `//` for the root, `~/`, `/` for the folder of this file, or `./`.',
  }
}

function noSpecifier(tool: string, tools: ToolTable): RuleProblem {
  const usable = [...KNOWN_TOOL_NAMES, ...Object.keys(tools)].filter((name) => name !== tool)
  const typo = suggest(tool, usable)
  return {
    problem: `parentheses after \`${tool}\` are not understood`,
    hint: typo
      ? `Did you mean \`${typo}\`?`
      : `Write \`${tool}\` for all its calls. Commands of Bash and paths of Read and Edit can be specified.`,
  }
}
