import { allowUnits } from './command/allow.js'
import type { CommandPattern } from './command/pattern.js'
import type { CommandReading } from './command/read.js'
import type { CompiledRule, Specifier } from './compile.js'
import { fitsParams } from './params.js'
import { somethingBelow } from './path.js'
import { type CallReading, type RuleCall, readCall } from './reading.js'

/** Whether a rule speaks about a call. Pure and synchronous; never throws. */
export function matchCall(compiled: CompiledRule, call: RuleCall): boolean {
  return matchReading(compiled, readCall(call, compiled.context))
}

/** Whether a rule speaks about a call that has been read before; rules and reading must have the same folders. */
export function matchReading(compiled: CompiledRule, reading: CallReading): boolean {
  return compiled.context.effect === 'allow' ? allowsReading([compiled], reading) : matchWide(compiled, reading)
}

/**
 * Whether allow rules let a call pass together: each command of a line has to be allowed by one of them, and nothing of
 * it may be unknown.
 */
export function allowsReading(rules: readonly CompiledRule[], reading: CallReading): boolean {
  const speaking = rules.filter((rule) => rule.problem === undefined && rule.names(reading))
  const { command } = reading
  if (command === undefined) return speaking.some(({ specifiers }) => specifiersAllow(specifiers, reading))
  if (command === 'unreadable') return false
  const { grants, missing, unknowns } = allowUnits(command, ({ narrow }) =>
    speaking.map((by) => ({ by, patterns: unitPatterns(by, narrow) })),
  )
  return missing.length === 0 && unknowns.length === 0 && grants.some((grant) => grant !== undefined)
}

/** The patterns by which an allow rule may speak about a command. */
export function unitPatterns(
  { specifiers, patterns }: CompiledRule,
  narrow: readonly string[],
): readonly (CommandPattern | undefined)[] {
  // A regular expression spells out nothing.
  return specifiers.some((each) => each.kind === 'regex' && narrow.some(each.whole)) ? [undefined] : patterns
}

/** What an allow rule without command says about a call. Whatever can't be judged does not match. */
export function specifiersAllow(specifiers: readonly Specifier[], reading: CallReading): boolean {
  return specifiers.length === 0 || specifiers.some((specifier) => matchesNarrow(specifier, reading))
}

function matchesNarrow(specifier: Specifier, { like, paths, destination, target }: CallReading): boolean {
  switch (specifier.kind) {
    case 'path':
      // Who may search a folder may see everything in it.
      return paths?.every((path) => specifier.test(like?.searches ? somethingBelow(path) : path)) ?? false
    case 'domain':
      return destination?.plain === true && destination.hosts.every(specifier.test)
    case 'target':
      return target !== undefined && specifier.pattern.matches(target.line)
    case 'regex': {
      const texts =
        paths ?? (destination?.plain ? destination.hosts : undefined) ?? (target === undefined ? [] : [target.name])
      return texts.length > 0 && texts.every(specifier.whole)
    }
    case 'command':
    case 'params':
      return false
  }
}

/** Whatever can't be judged matches. */
export function matchWide(compiled: CompiledRule, reading: CallReading): boolean {
  if (!compiled.names(reading)) return false
  const { problem, specifiers, context } = compiled
  if (problem || specifiers.length === 0) return true
  return specifiers.some((specifier) => matchesWide(specifier, reading, context.effect === 'condition'))
}

function matchesWide(specifier: Specifier, reading: CallReading, condition: boolean): boolean {
  const { command, paths, destination, target, like } = reading
  switch (specifier.kind) {
    case 'path':
      return paths === undefined || paths.some((path) => specifier.test(path) || specifier.test(somethingBelow(path)))
    case 'domain':
      return destination === undefined || destination.hosts.length === 0 || destination.hosts.some(specifier.test)
    case 'target':
      return target === undefined
        ? !like?.targetOptional
        : [target.name, target.line].some((text) => specifier.pattern.matches(text.toLowerCase()))
    case 'params':
      return fitsParams(specifier.params, reading.input)
    case 'command':
      return commandMatches(command, condition, (text) => specifier.pattern.matches(text))
    case 'regex': {
      if (command !== undefined) return commandMatches(command, condition, specifier.part)
      const texts = paths ?? destination?.hosts ?? (target === undefined ? [] : [target.name])
      return texts.length === 0 || texts.some(specifier.part)
    }
  }
}

function commandMatches(
  command: CommandReading | 'unreadable' | undefined,
  condition: boolean,
  matches: (text: string) => boolean,
): boolean {
  if (command === undefined || command === 'unreadable') return true
  if (command.units.some(({ wide }) => wide.some(matches))) return true
  return condition && (command.opaque || command.units.some(({ suspects }) => suspects.some(matches)))
}
