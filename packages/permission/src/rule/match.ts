import type { CompiledRule } from './compile.js'
import { somethingBelow } from './path.js'
import { type CallReading, type RuleCall, readCall } from './reading.js'

/** Whether a rule speaks about a call. Pure and synchronous; never throws. */
export function matchCall(compiled: CompiledRule, call: RuleCall): boolean {
  return matchReading(compiled, readCall(call, compiled.context))
}

export function matchReading(compiled: CompiledRule, reading: CallReading): boolean {
  if (!compiled.names(reading)) return false
  return compiled.context.effect === 'allow' ? matchNarrow(compiled, reading) : matchWide(compiled, reading)
}

/** Whatever can't be judged matches. */
function matchWide({ problem, specifier, context }: CompiledRule, { command, paths }: CallReading): boolean {
  if (problem || !specifier) return true
  if (specifier.kind === 'path') {
    return paths === undefined || paths.some((path) => specifier.test(path) || specifier.test(somethingBelow(path)))
  }
  if (command === undefined || command.widest.length === 0) return true
  if (context.effect === 'condition' && command.opaque) return true
  return command.widest.some(({ text, start }) => specifier.pattern.matches(text, start))
}

/** Whatever can't be judged does not match. */
function matchNarrow({ problem, specifier }: CompiledRule, { like, command, paths }: CallReading): boolean {
  if (problem) return false
  if (command) {
    const pattern = specifier?.kind === 'command' ? specifier.pattern : undefined
    if (command.plain === undefined || (specifier && !pattern)) return false
    if (command.exactOnly !== undefined && !pattern?.exact) return false
    return pattern?.matches(command.plain) ?? true
  }
  if (!specifier) return true
  if (specifier.kind !== 'path' || paths === undefined) return false
  // Who may search a folder may see everything in it.
  return paths.every((path) => specifier.test(like?.searches ? somethingBelow(path) : path))
}

/** Whether the rule spells out one command. */
export function isExact({ specifier }: CompiledRule): boolean {
  return specifier?.kind === 'command' && specifier.pattern.exact
}
