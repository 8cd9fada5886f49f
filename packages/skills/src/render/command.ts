import { type BodyValues, placeholderForms, variableValue } from './placeholders.js'

/** Commands that a body asks to have run before the model sees it: !`command`, and blocks that open with ```!. */
export const COMMAND_FORMS = '(?<=^|\\s)!`(?<inline>[^`\\n]+)`|^```![^`\\n]*\\n(?<block>(?:[^`]|`(?!``))*?)^```[ \\t]*$'

/** A command that stands in a body. */
export interface FoundCommand {
  /** As it is written, with what marks it. */
  readonly written: string
  /** What is to be run; absent if that can't be. */
  readonly line?: string
  /** Why it can't be run. */
  readonly problem?: string
}

export function hasCommands(body: string): boolean {
  return new RegExp(COMMAND_FORMS, 'm').test(body)
}

/**
 * Reads a command. A shell would read what is put into it, so only paths and the id go in, and only where they mean the
 * same in whatever quotes they stand; arguments never do.
 */
export function foundCommand(written: string, line: string, values: BodyValues, hasArguments: boolean): FoundCommand {
  let problem: string | undefined
  const filled = line.replace(new RegExp(placeholderForms(values.argumentNames), 'g'), (...match) => {
    const { slashes = '', token = '', variable, name } = match.at(-1) as Readonly<Record<string, string | undefined>>
    if (slashes.length === 1) return token
    if (variable === undefined) {
      if (hasArguments) problem ??= `arguments are not put into commands, and it holds ${token}`
      return slashes + (name === undefined && token !== '$ARGUMENTS' ? token : '')
    }
    const value = variableValue(variable, values)
    if (!/^[\p{L}\p{N}\p{M}@%+=:,./_-]+$/u.test(value)) problem ??= `${token} holds what a shell would read otherwise`
    return slashes + value
  })
  // A shell takes the CR of a line break for a part of the last word.
  return problem === undefined ? { written, line: filled.replaceAll('\r\n', '\n').trim() } : { written, problem }
}
