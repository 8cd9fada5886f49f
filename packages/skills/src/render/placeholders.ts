/** Names that `$name` can stand for. */
export const ARGUMENT_NAME: RegExp = /^(?!ARGUMENTS$)[A-Za-z_][A-Za-z0-9_-]*$/

export interface BodyValues {
  /** As typed; blank means that there are none. */
  readonly args: string
  readonly argumentNames: readonly string[]
  readonly skillDir: string
  readonly projectDir: string
  readonly sessionId: string
}

/** The pattern of all placeholders, with a group for each kind of them. */
export function placeholderForms(argumentNames: readonly string[]): string {
  const names = argumentNames.filter((name) => ARGUMENT_NAME.test(name)).toSorted((a, b) => b.length - a.length)
  const forms = [
    '\\$\\{(?:CLAUDE_)?(?<variable>SKILL_DIR|PROJECT_DIR|SESSION_ID)\\}',
    '\\$ARGUMENTS(?:\\[(?<item>\\d+)\\]|(?![A-Za-z0-9_]))',
    '\\$(?<index>\\d+)(?![A-Za-z0-9_])',
    ...(names.length > 0 ? [`\\$(?<name>${names.join('|')})(?![A-Za-z0-9_])`] : []),
  ]
  return `(?<!\\\\)(?<slashes>\\\\*)(?<token>${forms.join('|')})`
}

export function variableValue(variable: string, values: BodyValues): string {
  if (variable === 'SKILL_DIR') return values.skillDir
  return variable === 'PROJECT_DIR' ? values.projectDir : values.sessionId
}
