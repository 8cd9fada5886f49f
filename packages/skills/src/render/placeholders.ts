import { splitArguments } from './arguments.js'

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

/**
 * Fills in the placeholders of a body. They are found once, in the body as its author wrote it; what is put in is
 * never looked at again, so no argument can bring in a placeholder. A single \ in front keeps a placeholder as text.
 * Arguments that the body does not use are appended, so that none is lost.
 */
export function fillPlaceholders(body: string, values: BodyValues): string {
  const args = values.args.trim() === '' ? '' : values.args
  const words = splitArguments(args)
  const unused = new Set(words.keys())
  const word = (index: number): string | undefined => {
    unused.delete(index)
    return words[index]
  }
  const filled = body.replace(placeholderPattern(values.argumentNames), (...match) => {
    const { slashes = '', token = '', variable, item, index, name } = match.at(-1) as Groups
    if (slashes.length === 1) return token
    const value = () => {
      if (variable !== undefined) return variableValue(variable, values)
      // A number without an argument may well be a price.
      if (item !== undefined || index !== undefined) return word(Number(item ?? index)) ?? token
      if (name !== undefined) return word(values.argumentNames.indexOf(name)) ?? ''
      unused.clear()
      return args
    }
    return slashes + value()
  })
  return unused.size === 0 ? filled : `${filled.trimEnd()}\n\n## Arguments\n\n${args}\n`
}

type Groups = Readonly<Partial<Record<'slashes' | 'token' | 'variable' | 'item' | 'index' | 'name', string>>>

function placeholderPattern(argumentNames: readonly string[]): RegExp {
  const names = argumentNames.filter((name) => ARGUMENT_NAME.test(name)).toSorted((a, b) => b.length - a.length)
  const forms = [
    '\\$\\{(?:CLAUDE_)?(?<variable>SKILL_DIR|PROJECT_DIR|SESSION_ID)\\}',
    '\\$ARGUMENTS(?:\\[(?<item>\\d+)\\]|(?![A-Za-z0-9_]))',
    '\\$(?<index>\\d+)(?![A-Za-z0-9_])',
    ...(names.length > 0 ? [`\\$(?<name>${names.join('|')})(?![A-Za-z0-9_])`] : []),
  ]
  return new RegExp(`(?<!\\\\)(?<slashes>\\\\*)(?<token>${forms.join('|')})`, 'g')
}

function variableValue(variable: string, values: BodyValues): string {
  if (variable === 'SKILL_DIR') return values.skillDir
  return variable === 'PROJECT_DIR' ? values.projectDir : values.sessionId
}

/** Commands that a body asks to have run before the model sees it: !`command`, and blocks that open with ```!. */
export function hasInjectedCommands(body: string): boolean {
  return /(?:^|\s)!`[^`\n]+`/.test(body) || /^```!/m.test(body)
}
