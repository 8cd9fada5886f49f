import { createReporter, joinPointer } from '@ext/kernel'
import type { Diagnostic } from '@ext/kernel/types'
import { diagnosticCodes } from '../../codes.js'
import { codePoints } from '../../names.js'
import type { LintSubject } from '../subject.js'

const report = createReporter(diagnosticCodes)

/** What Claude Code shows of `description` and `when_to_use` together (docs/skills.md, August 2026). */
const MAX_LISTED = 1536

/** What Claude Code reads in another way, or not at all. */
export function checkClaudeCode(subject: LintSubject): readonly Diagnostic[] {
  return [...ownFields(subject), ...listed(subject), ...rescued(subject)]
}

function ownFields({ header }: LintSubject): readonly Diagnostic[] {
  const { mode, fork_context: seen } = header.value
  const instead: Readonly<
    Record<string, readonly [severity: 'error' | 'warning', what: string, hint: string] | undefined>
  > = {
    allowed_tools: ['warning', 'it approves nothing there', 'Write `allowed-tools`.'],
    restrict: [
      'error',
      'there it limits nothing',
      'Take tools away with `disallowed-tools`, or name a sub-agent with `context: fork` and `agent`.',
    ],
    mode:
      mode === 'fork'
        ? ['warning', 'there the skill runs in the conversation', 'Write `context: fork`.']
        : ['warning', 'nothing reads it there', 'Leave it out: it is what happens anyway.'],
    fork_context:
      seen === 'none'
        ? ['warning', 'nothing reads it there', 'Leave it out: it is what happens anyway.']
        : ['warning', 'a fork never sees the conversation there', 'Say in the body what the fork has to know.'],
  }
  return Object.keys(header.value).flatMap((field) => {
    const found = Object.hasOwn(instead, field) ? instead[field] : undefined
    if (!found) return []
    const [severity, what, hint] = found
    const pointer = joinPointer('', field)
    const message = `Claude Code does not know \`${field}\`; ${what}.`
    const details = { entry: header.id, pointer, hint }
    return [report[severity]('skills.claude-code.field', header.at(pointer, 'key'), message, details)]
  })
}

function listed({ header }: LintSubject): readonly Diagnostic[] {
  const { description, when_to_use: when } = header.value
  const length = [description, when].reduce<number>(
    (sum, text) => sum + (typeof text === 'string' ? codePoints(text) : 0),
    0,
  )
  if (length <= MAX_LISTED) return []
  const message = `\`description\` and \`when_to_use\` have ${length} characters; Claude Code lists the first ${MAX_LISTED}.`
  const hint = 'Put what decides first, and details into the body.'
  const details = { entry: header.id, pointer: '/description', hint }
  return [report.warning('skills.claude-code.listed', header.at('/description'), message, details)]
}

function rescued({ header, rescued: guessed }: LintSubject): readonly Diagnostic[] {
  // Its own manual writes hints without quotes.
  if (guessed.every((pointer) => pointer === '/argument-hint')) return []
  const message = 'The header is no valid YAML; Claude Code then drops all of its fields.'
  const hint = 'Put texts that hold a colon with a blank behind it between quotes.'
  return [report.error('skills.claude-code.yaml', header.at(), message, { entry: header.id, hint })]
}
