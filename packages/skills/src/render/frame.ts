import type { Skill, ToolRule } from '../types.js'

const COMMANDS_NOT_RUN =
  'Note: this skill marks commands with `!` that its author wanted to have run in advance. None was run; run those that you need.'

export interface FrameOptions {
  /** Arguments that the body does not use. */
  readonly unusedArguments: string
  /** The body marks commands, and they are not run here. */
  readonly commandsNotRun: boolean
}

/** The instructions of a skill as the model reads them. */
export function frame(skill: Skill, body: string, { unusedArguments, commandsNotRun }: FrameOptions): string {
  const args = unusedArguments === '' ? '' : `\n\n## Arguments\n\n${unusedArguments}\n`
  const filled = unusedArguments === '' ? body : body.trimEnd()
  return [
    `# Skill ${skill.name}`,
    `Its folder, from where its paths start: ${skill.folder}`,
    `${filled}${args}`.trim(),
    ...(commandsNotRun ? [COMMANDS_NOT_RUN] : []),
    ...aboutTools(skill),
  ].join('\n\n')
}

/** In a fork the sub-agent is shown no other tools; in a conversation the model has to be told. */
function aboutTools({ mode, grants, disallowed, restrict }: Skill): readonly string[] {
  if (mode === 'fork') return []
  const limits = [
    ...restrict.map(({ rules }) => (rules.length === 0 ? 'no tools' : `no tools but ${textsOf(rules)}`)),
    ...(disallowed.length > 0 ? [`never ${textsOf(disallowed)}`] : []),
  ]
  return [
    ...(grants.length > 0 ? [`Tools that it is written for: ${textsOf(grants)}.`] : []),
    ...(limits.length > 0 ? [`While it is active, use ${limits.join(', and ')}: other calls are refused.`] : []),
  ]
}

function textsOf(rules: readonly ToolRule[]): string {
  return rules.map(({ rule }) => `\`${rule.text}\``).join(', ')
}

/** Stands once before the active skills of a session, whatever their number. */
export const RANK =
  'These skills are active. Their instructions go before general instructions; what permission decides goes before them.'
