import type { AuthorizeRequest } from '@ext/kernel/contract'
import { exactSpecifier } from '../rule/command/pattern.js'
import type { CommandReading } from '../rule/command/read.js'
import { compileRule } from '../rule/compile.js'
import { parseRule } from '../rule/parse.js'
import type { CallReading } from '../rule/reading.js'
import { DYNAMIC, type Unknown } from '../shell/index.js'
import { type DecideContext, decide, readRequest } from './decide.js'
import { judgeLine } from './line.js'
import { type PlacedRule, placedRule, type Ruleset, rulesetOf } from './ruleset.js'

/** The narrowest rule for a part of a call, and what else it would let pass. */
export interface SuggestedRule {
  readonly rule: string
  /** For people, a sentence. */
  readonly alsoAllows: string
}

/** Nobody reads more than this before saying yes. */
const MAX_RULES = 10

/**
 * The narrowest rules that would allow a call together: one for each command, file or host that needs one. Empty where
 * no rule can: then the call has to be asked each time. What is returned has been tried.
 */
export function suggestRules(request: AuthorizeRequest, context: DecideContext): readonly SuggestedRule[] {
  const found = context.rules.managedOnly ? [] : candidates(request, context)
  if (found.length === 0 || found.length > MAX_RULES) return []
  if (!allowedBy(found, request, context)) return []
  // A rule that spells out a wrapper needs no other for what is behind it.
  let needed = found
  for (const each of found) {
    const rest = needed.filter((other) => other !== each)
    if (rest.length > 0 && allowedBy(rest, request, context)) needed = rest
  }
  return needed
}

/** Grants of the session do not count: what is offered has to do without them, for it may be written to a file. */
function allowedBy(found: readonly SuggestedRule[], request: AuthorizeRequest, context: DecideContext): boolean {
  const terms = context.terms?.map(({ grants: _, ...limits }) => limits)
  const grants = grantsOf(found, context.rules)
  return decide(request, { ...context, grants, ...(terms ? { terms } : {}) }).decision.behavior === 'allow'
}

/**
 * Allow rules of a session, compiled for its working folder.
 * @param by who has granted them; default: a person, and they were remembered
 */
export function grantsOf(
  granted: readonly { readonly rule: string; readonly expiresAt?: number }[],
  { host }: Pick<Ruleset, 'host'>,
  by = 'remembered',
): Ruleset {
  const rules = granted.flatMap(({ rule: text, expiresAt }, order): readonly PlacedRule[] => {
    const { rule } = parseRule(text)
    if (!rule) return []
    const { tools, shell } = host
    const anchors = { ...host, sourceDir: host.cwd }
    const compiled = compileRule(rule, { effect: 'allow', anchors, tools, ...(shell ? { shell } : {}) })
    const allowed = { effect: 'allow', order, compiled, ...(expiresAt === undefined ? {} : { expiresAt }) } as const
    return [placedRule(allowed, () => ({ layer: 'session', name: by }))]
  })
  return rulesetOf(rules, [], host)
}

function candidates({ call, tool }: AuthorizeRequest, context: DecideContext): readonly SuggestedRule[] {
  const reading = readRequest({ call, tool }, context)
  const { command, paths, destination, target, like } = reading
  const own = tool.source.server === undefined ? tool.name : (like?.as ?? tool.name)
  if (command !== undefined) return command === 'unreadable' ? [] : forLine(reading, own, context)
  if (like?.family !== undefined) {
    return (paths ?? []).map((path) => ofPath(like.family ?? 'Read', like.searches ? `${path}/**` : path, path))
  }
  if (destination) {
    return destination.hosts.map((host) => ({
      rule: `${own}(domain:${host})`,
      alsoAllows: `Everything else on ${host} as well, on every port.`,
    }))
  }
  if (like?.target !== undefined) {
    const specifier = target === undefined ? undefined : exactSpecifier(target.line.split(' '))
    return specifier === undefined
      ? []
      : [{ rule: `${own}(${specifier})`, alsoAllows: 'The same with other fields of its input.' }]
  }
  const { server, tool: remote } = tool.source
  const rule = server === undefined ? tool.name : `mcp__${server}__${remote}`
  return [{ rule, alsoAllows: `Every call of ${tool.name}, with whatever input.` }]
}

function forLine(reading: CallReading, own: string, context: DecideContext): readonly SuggestedRule[] {
  const { command, tool } = reading
  if (command === undefined || command === 'unreadable') return []
  const { rules, readOnlyCommands } = context
  const { missing, unknowns, uncovered } = judgeLine(command, [rules.ofTool(tool)], context)
  const isAnswerable = ({ spelled, code }: Unknown) => spelled !== undefined || code === 'environment'
  if (!unknowns.every(isAnswerable)) return []
  const needed = new Set(missing.filter((index) => !(readOnlyCommands && command.units[index]?.unit.readOnly)))
  for (const { unit } of unknowns) if (unit !== undefined) needed.add(unit)
  // What a rule lets a wrapper run, it lets write to the redirects of the wrapper.
  const runs = (index: number) => command.units.some(({ unit }) => unit.parent === index)
  for (const { unit } of uncovered) if (unit !== undefined && !runs(unit)) needed.add(unit)
  const specifiers = [...needed].map((index) => exactSpecifier(wordsOf(command, index)))
  if (specifiers.includes(undefined)) return []
  const outside = command.analysis.effects.flatMap(({ kind, path, pattern }) =>
    kind !== 'write' || path === undefined || pattern || rules.roots.some((root) => path.startsWith(`${root}/`))
      ? []
      : [path],
  )
  return [
    ...[...new Set(specifiers)].map((specifier) => ({
      rule: `${own}(${specifier})`,
      alsoAllows: 'The same command in every folder, with any redirect into the workspace.',
    })),
    ...[...new Set(outside)].map((path) => ofPath('Edit', path, path)),
  ]
}

/** With what is assigned for it, if that has to be spelled out as well. */
function wordsOf({ units, analysis }: CommandReading, index: number): readonly string[] {
  const { env, argv } = units[index]?.unit ?? { env: [], argv: [] }
  const sharp = analysis.unknowns.some(({ unit, code }) => unit === index && code === 'environment')
  return sharp ? [...env.map(({ name, value }) => `${name}=${value ?? DYNAMIC}`), ...argv] : argv
}

function ofPath(family: string, written: string, path: string): SuggestedRule {
  return {
    rule: `${family}(/${escapePath(written)})`,
    alsoAllows: `Every tool that ${family === 'Read' ? 'reads' : 'edits'} \`${path}\`, and everything below it if it is a folder.`,
  }
}

/** Of the characters that mean something in a pattern. */
function escapePath(path: string): string {
  const folder = path.endsWith('/**') ? '/**' : ''
  const name = folder === '' ? path : path.slice(0, -folder.length)
  return name.replace(/[\\*?[\]]/g, '\\$&').replace(/ $/, '\\ ') + folder
}
