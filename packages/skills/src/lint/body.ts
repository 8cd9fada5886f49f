import { createReporter, describe } from '@ext/kernel'
import type { Diagnostic, Source } from '@ext/kernel/types'
import { diagnosticCodes } from '../codes.js'
import type { Skill } from '../types.js'
import type { LintSubject } from './subject.js'

const report = createReporter(diagnosticCodes)

/** The guideline of the open format. */
const MAX_LINES = 500

/** What can be said of the instructions. */
export function checkBody(subject: LintSubject, skill: Skill | undefined): readonly Diagnostic[] {
  const { body, header } = subject
  const findings: Diagnostic[] = []
  const lines = body.split('\n')
  if (body.trim() === '') {
    const hint = 'Write below the header what is to be done.'
    const place = at(subject, 0, 0)
    findings.push(
      report.warning('skills.body.empty', place, 'Nothing follows the header, so loading the skill tells nothing.', {
        entry: header.id,
        hint,
      }),
    )
  }
  // What follows the last line break is no line.
  const count = body.endsWith('\n') ? lines.length - 1 : lines.length
  if (count > MAX_LINES) {
    const message = `The body has ${count} lines, more than ${MAX_LINES}; all of them take room in the context.`
    const hint = 'Move details into files beside SKILL.md, and say in the body when to read them.'
    findings.push(report.warning('skills.body.long', at(subject, MAX_LINES, 0), message, { entry: header.id, hint }))
  }
  if (skill) findings.push(...missingShell(subject, skill, lines))
  return findings
}

/** Whoever runs hooks says so too, but only there. */
export function checkHooks({ header }: LintSubject): readonly Diagnostic[] {
  const { hooks } = header.value as { readonly hooks?: unknown }
  if (hooks === undefined || hooks === null || typeof hooks === 'object') return []
  const message = `\`hooks\` is ${describe(hooks)}, not hooks by their events; none of them runs.`
  const hint = 'Write events with lists of hooks below them, as in settings of Claude Code.'
  const details = { entry: header.id, pointer: '/hooks', hint }
  return [report.warning('skills.field.ignored', header.at('/hooks'), message, details)]
}

/** A body that tells to run commands, and limits that leave no tool for it. */
function missingShell(subject: LintSubject, skill: Skill, lines: readonly string[]): readonly Diagnostic[] {
  const { header } = subject
  const isShell = (tool: string) => tool === 'Bash' || tool === 'PowerShell' || tool === '*'
  const limit = skill.restrict.find(({ rules }) => !rules.some(({ rule }) => isShell(rule.tool)))
  const taken = skill.disallowed.find(({ rule }) => isShell(rule.tool) && rule.specifier === undefined)
  if (!limit && !taken) return []
  const index = lines.findIndex((line) => /^\s*```(?:bash|sh|shell|zsh|console)\b|^\s*```!|(?:^|\s)!`[^`]+`/.test(line))
  if (index === -1) return []
  const why = limit ? `\`${limit.field}\` names no tool that runs them` : `\`${taken?.rule.text}\` is taken away`
  const column = (lines[index] ?? '').search(/\S/)
  return [
    report.warning('skills.body.tools', at(subject, index, column), `The body holds commands, and ${why}.`, {
      entry: header.id,
      hint: 'Add `Bash(…)` for these commands to the list, or take the commands out.',
    }),
  ]
}

/** @param index of the line of the body, from 0 */
function at({ header, bodyLine }: LintSubject, index: number, column: number): Source {
  const { layer, file } = header.source
  return { layer, ...(file === undefined ? {} : { file }), line: bodyLine + index, column: column + 1 }
}
