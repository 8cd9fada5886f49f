import { createReporter, describe, joinPointer, suggest } from '@ext/kernel'
import type { PermissionMode, ToolTable } from '@ext/kernel/contract'
import type { Diagnostic, Located, Outcome } from '@ext/kernel/types'
import { diagnosticCodes } from '../../codes.js'
import type { AgentDefinition } from '../definition.js'
import { type AgentProfile, isProfile, PROFILES } from '../profile.js'
import { type NamedTool, toolMatches } from '../tool-list.js'
import { LIMIT_FIELDS, type LimitField, limitOf, resemblesLimit } from './fields.js'
import type { AgentFile } from './header.js'
import { parseToolNames } from './tool-names.js'

const report = createReporter(diagnosticCodes)

/** Which tools there are, as far as it is known. */
export interface ToolContext {
  readonly table: ToolTable
  /** Absent: they are not all known. */
  readonly known: readonly NamedTool[] | undefined
}

type Limits = Pick<AgentDefinition, LimitField>

/** A limit as it is written, in whatever spelling. */
interface WrittenLimit {
  readonly entry: Located<AgentFile>
  readonly limit: LimitField
  readonly field: string
  readonly pointer: string
  readonly value: unknown
}

/** Reads what limits an agent. There is no value unless every limit has been understood. */
export function readLimits(entry: Located<AgentFile>, context: ToolContext): Outcome<Limits> {
  const { written, diagnostics: found } = findLimits(entry)
  const diagnostics = [...found]
  const take = <T>(limit: LimitField, read: (written: WrittenLimit) => Outcome<T>): T | undefined => {
    const own = written.get(limit)
    if (!own) return undefined
    const outcome = read(own)
    diagnostics.push(...outcome.diagnostics)
    return outcome.value
  }
  const tools = take('tools', (own) => readTools(own, context))
  const disallowedTools = take('disallowedTools', (own) => readTools(own, context))
  const permissionMode = take('permissionMode', readMode)
  const maxTurns = take('maxTurns', readTurns)
  const profile = take('profile', readProfile)
  if (diagnostics.some(({ severity }) => severity === 'error')) return { diagnostics }
  return {
    value: {
      ...(tools ? { tools } : {}),
      ...(disallowedTools ? { disallowedTools } : {}),
      ...(permissionMode ? { permissionMode } : {}),
      ...(maxTurns === undefined ? {} : { maxTurns }),
      ...(profile ? { profile } : {}),
    },
    diagnostics,
  }
}

function findLimits(entry: Located<AgentFile>): {
  readonly written: ReadonlyMap<LimitField, WrittenLimit>
  readonly diagnostics: readonly Diagnostic[]
} {
  const written = new Map<LimitField, WrittenLimit>()
  const diagnostics: Diagnostic[] = []
  for (const [field, value] of Object.entries(entry.value.header)) {
    const pointer = joinPointer('', field)
    const place = () => entry.at(pointer, 'key')
    const details = { entry: entry.id, pointer }
    const limit = limitOf(field)
    if (!limit) {
      if (!resemblesLimit(field)) continue
      const message = `\`${field}\` looks as if it limits the agent, and nothing reads it; so the agent is not loaded.`
      const meant = suggest(field, LIMIT_FIELDS)
      const hint = meant ? `Did you mean \`${meant}\`?` : `Use ${LIMIT_FIELDS.join(', ')}, or remove it.`
      diagnostics.push(report.error('agents.field.misspelt', place(), message, { ...details, hint }))
      continue
    }
    const other = written.get(limit)
    if (other) {
      const message = `\`${other.field}\` and \`${field}\` are the same limit, so nobody can say which one counts.`
      diagnostics.push(
        report.error('agents.field.twice', place(), message, {
          ...details,
          hint: `Keep one of them, as \`${limit}\`.`,
          related: [{ message: 'the other one', source: entry.at(other.pointer, 'key') }],
        }),
      )
    } else if (field !== limit) {
      const message = `\`${field}\` is read as \`${limit}\`; other programs do not know it, and limit nothing.`
      diagnostics.push(
        report.warning('agents.field.spelling', place(), message, { ...details, hint: `Write \`${limit}\`.` }),
      )
    }
    written.set(limit, { entry, limit, field, pointer, value })
  }
  return { written, diagnostics }
}

function readTools(own: WrittenLimit, context: ToolContext): Outcome<readonly string[]> {
  const { entry, field, pointer, value, limit } = own
  const at = entry.at(pointer)
  const details = { entry: entry.id, pointer }
  const parsed = parseToolNames(value)
  if (parsed.problem !== undefined) {
    const message = `\`${field}\` is ${describe(value)}, and can't be read: ${parsed.problem}; so the agent is not loaded.`
    const all = limit === 'tools' ? ', or remove the field for all tools' : ''
    const hint = `Write names with commas or as a list, with a * at most at their end; [] for none${all}.`
    return { diagnostics: [report.error('agents.tools.unreadable', at, message, { ...details, hint })] }
  }
  const diagnostics = parsed.narrowed.map(({ text, tool }) => {
    const instead = limit === 'tools' ? `the agent does not get \`${tool}\`` : `the agent loses all of \`${tool}\``
    return report.warning(
      'agents.tools.specifier',
      at,
      `\`${text}\` means some calls of a tool, and a list of tools knows whole tools only; ${instead}.`,
      { ...details, hint: `Write \`${tool}\`, and say with permission rules which of its calls may run.` },
    )
  })
  const taken = limit === 'tools' ? [] : parsed.narrowed.map(({ tool }) => tool)
  const names = Object.freeze([...new Set([...parsed.names, ...taken])])
  return { value: names, diagnostics: [...diagnostics, ...unknownTools(own, names, context)] }
}

function unknownTools(
  { entry, field, pointer }: WrittenLimit,
  names: readonly string[],
  { known, table }: ToolContext,
): readonly Diagnostic[] {
  const unknown = known ? names.filter((name) => !known.some((tool) => toolMatches(name, tool, table))) : []
  if (!known || unknown.length === 0) return []
  const candidates = known.flatMap(({ name, source }) => [
    name,
    table[name]?.as ?? name,
    ...(source.server === undefined ? [] : [`mcp__${source.server}`]),
  ])
  const typos = unknown.flatMap((name) => {
    const meant = suggest(name, candidates)
    return meant === undefined ? [] : [`\`${meant}\` where it says \`${name}\``]
  })
  const message = `\`${field}\` names what is no tool here: ${unknown.map((name) => `\`${name}\``).join(', ')}.`
  const hint =
    typos.length > 0 ? `Did you mean ${typos.join(', ')}?` : 'Check the spelling, or add what brings the tool.'
  return [report.warning('agents.tools.unknown', entry.at(pointer), message, { entry: entry.id, pointer, hint })]
}

const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions']

function readMode({ entry, field, pointer, value }: WrittenLimit): Outcome<PermissionMode> {
  const mode = MODES.find((each) => each === value)
  if (mode === undefined) {
    const typo = typeof value === 'string' ? suggest(value, MODES) : undefined
    const message = `\`${field}\` is ${describe(value)}, which is no mode; so the agent is not loaded.`
    const hint = typo ? `Did you mean \`${typo}\`?` : 'Use one of these modes, or remove the field.'
    const details = { entry: entry.id, pointer, expected: MODES, hint }
    return { diagnostics: [report.error('agents.mode.unknown', entry.at(pointer), message, details)] }
  }
  if (mode !== 'bypassPermissions') return { value: mode, diagnostics: [] }
  const message = `\`${field}: ${mode}\` has no effect: an agent is never freer than the one that starts it.`
  const hint = 'Remove it, or choose a mode that is stricter.'
  const details = { entry: entry.id, pointer, hint }
  return { value: mode, diagnostics: [report.warning('agents.field.no-effect', entry.at(pointer), message, details)] }
}

function readProfile({ entry, field, pointer, value }: WrittenLimit): Outcome<AgentProfile> {
  if (isProfile(value)) return { value, diagnostics: [] }
  const message = `\`${field}\` is ${describe(value)}, which is no profile; so the agent is not loaded.`
  const details = {
    entry: entry.id,
    pointer,
    expected: PROFILES,
    hint: `Write ${PROFILES.join(', ')}, or remove the field.`,
  }
  return { diagnostics: [report.error('agents.profile.unknown', entry.at(pointer), message, details)] }
}

function readTurns({ entry, field, pointer, value }: WrittenLimit): Outcome<number> {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return { value, diagnostics: [] }
  const message = `\`${field}\` is ${describe(value)}, not a whole number from 1; so the agent is not loaded.`
  const details = { entry: entry.id, pointer, hint: 'Write how often the model may be asked, or remove the field.' }
  return { diagnostics: [report.error('agents.turns.invalid', entry.at(pointer), message, details)] }
}
