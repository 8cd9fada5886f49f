import { createReporter, describe, joinPointer, suggest } from '@ext/kernel'
import type { Diagnostic, Located } from '@ext/kernel/types'
import { diagnosticCodes } from '../codes.js'
import type { ForkContext, SkillMode } from '../types.js'
import type { SkillHeader } from './header.js'

const report = createReporter(diagnosticCodes)

const MODES: readonly SkillMode[] = ['inline', 'fork']
const FORK_CONTEXTS: readonly ForkContext[] = ['none', 'recent', 'full']
/** `context: fork` is what Claude Code calls it. */
const MODE_FIELDS = ['mode', 'context'] as const

export interface Mode {
  readonly mode: SkillMode
  readonly forkContext: ForkContext
  /** The field from which nobody can tell whether the skill is to be forked. */
  readonly unclear?: string
  readonly diagnostics: readonly Diagnostic[]
}

const INLINE: Mode = { mode: 'inline', forkContext: 'none', diagnostics: [] }

/** Where a skill runs. What can't be understood is inline, with a warning. */
export function readMode(entry: Located<SkillHeader>): Mode {
  const { mode: own, context, agent, fork_context: seen } = entry.value
  const misspelt = misspeltFork(entry.value)
  if (own === undefined && context === undefined && agent === undefined && seen === undefined) {
    return misspelt === undefined ? INLINE : { ...INLINE, unclear: misspelt }
  }
  const diagnostics: Diagnostic[] = []
  const written = MODE_FIELDS.filter((field) => given(entry, field))
  const modes = written.map((field) => MODES.find((each) => each === entry.value[field]))
  const [first, second] = written
  let unclear = written[modes.indexOf(undefined)] as string | undefined
  if (unclear !== undefined) {
    diagnostics.push(
      notKnown(entry, unclear, MODES, 'skills.mode.unknown', 'the skill runs in the conversation itself'),
    )
  } else if (first !== undefined && second !== undefined && modes[0] !== modes[1]) {
    unclear = second
    diagnostics.push(
      report.warning(
        'skills.mode.unknown',
        entry.at(`/${second}`),
        `\`${first}\` and \`${second}\` contradict each other; the skill runs in the conversation itself.`,
        {
          entry: entry.id,
          pointer: `/${second}`,
          hint: 'Keep one of them.',
          related: [{ message: 'the other one', source: entry.at(`/${first}`) }],
        },
      ),
    )
  }
  if (modes[0] === undefined) unclear ??= misspelt
  const mode: SkillMode = unclear === undefined ? (modes[0] ?? 'inline') : 'inline'
  let forkContext: ForkContext = 'none'
  if (given(entry, 'fork_context')) {
    const known = FORK_CONTEXTS.find((each) => each === entry.value['fork_context'])
    if (known) forkContext = known
    else
      diagnostics.push(
        notKnown(
          entry,
          'fork_context',
          FORK_CONTEXTS,
          'skills.fork-context.unknown',
          'a fork sees nothing of the conversation',
        ),
      )
  }
  if (mode === 'inline') diagnostics.push(...withoutFork(entry))
  return { mode, forkContext, ...(unclear === undefined ? {} : { unclear }), diagnostics }
}

/** A field in another case that asks for a fork: it is not read, and yet somebody may count on the limits of one. */
function misspeltFork(header: SkillHeader): string | undefined {
  for (const field in header) {
    const isMode = !isModeField(field) && isModeField(field.toLowerCase())
    if (isMode && String(header[field]).trim().toLowerCase() === 'fork') return field
  }
  return undefined
}

function isModeField(field: string): boolean {
  return field === 'mode' || field === 'context'
}

/** Whether a header may ask for a fork: with any value but `inline`, also one that is not understood. */
export function forks(header: Readonly<Record<string, unknown>>): boolean {
  return MODE_FIELDS.some((field) => ![undefined, null, 'inline'].includes(header[field] as string))
}

function given(entry: Located<SkillHeader>, field: string): boolean {
  return entry.value[field] !== undefined && entry.value[field] !== null
}

function notKnown(
  entry: Located<SkillHeader>,
  field: string,
  expected: readonly string[],
  code: 'skills.mode.unknown' | 'skills.fork-context.unknown',
  instead: string,
): Diagnostic {
  const value = entry.value[field]
  const meant = typeof value === 'string' ? suggest(value.trim().toLowerCase(), expected) : undefined
  const pointer = joinPointer('', field)
  return report.warning(
    code,
    entry.at(pointer),
    `\`${field}\` is ${describe(value)}, which is not known; ${instead}.`,
    {
      entry: entry.id,
      pointer,
      expected,
      hint: meant === undefined ? `Use one of: ${expected.join(', ')}.` : `Did you mean \`${meant}\`?`,
    },
  )
}

function withoutFork(entry: Located<SkillHeader>): readonly Diagnostic[] {
  return ['agent', 'fork_context']
    .filter((field) => given(entry, field))
    .map((field) =>
      report.warning(
        'skills.field.no-effect',
        entry.at(joinPointer('', field), 'key'),
        `\`${field}\` has no effect, since the skill runs in the conversation itself.`,
        { entry: entry.id, pointer: joinPointer('', field), hint: 'Add `mode: fork`, or remove it.' },
      ),
    )
}
