import { splitArguments } from './arguments.js'
import { COMMAND_FORMS, type FoundCommand, foundCommand } from './command.js'
import { type BodyValues, placeholderForms, variableValue } from './placeholders.js'

/** A part of a body: text as the model will see it, or a command whose output takes its place. */
export type Part = string | FoundCommand

export interface FilledBody {
  readonly parts: readonly Part[]
  /** Arguments that no placeholder stands for; empty when there are none. */
  readonly unusedArguments: string
}

/** A body that asks for its arguments thousands of times is filled in up to here; what follows stays as it is written. */
const MAX_FILLED = 4 * 1024 * 1024

/**
 * Fills in a body. Placeholders and commands are found once and together, in the body as its author wrote it; what is put
 * in is never looked at again, so no argument can bring in a placeholder or a command. A single \ in front keeps a
 * placeholder as text.
 * @param options.commands find commands; otherwise they are text like any other
 */
export function fillBody(body: string, values: BodyValues, options: { readonly commands: boolean }): FilledBody {
  const args = values.args.trim() === '' ? '' : values.args
  const words = splitArguments(args)
  const unused = new Set(words.keys())
  const placeholder = placeholders(values, args, words, unused)
  const forms = options.commands ? `${COMMAND_FORMS}|${placeholder.forms}` : placeholder.forms
  const parts: Part[] = []
  let text = ''
  let end = 0
  let size = body.length
  for (const match of body.matchAll(new RegExp(forms, 'gm'))) {
    text += body.slice(end, match.index)
    end = match.index + match[0].length
    const groups: Groups = match.groups ?? {}
    if (groups.inline === undefined && groups.block === undefined) {
      const filled = size > MAX_FILLED ? match[0] : placeholder.fill(groups)
      size += filled.length - match[0].length
      text += filled
    } else {
      parts.push(text, foundCommand(match[0], groups.inline ?? groups.block ?? '', values, words.length > 0))
      text = ''
    }
  }
  parts.push(text + body.slice(end))
  return { parts, unusedArguments: unused.size === 0 ? '' : args }
}

type Group = 'slashes' | 'token' | 'variable' | 'item' | 'index' | 'name' | 'inline' | 'block'
type Groups = Readonly<Partial<Record<Group, string>>>

function placeholders(values: BodyValues, args: string, words: readonly string[], unused: Set<number>) {
  const word = (index: number): string | undefined => {
    unused.delete(index)
    return words[index]
  }
  const valueFor = ({ token = '', variable, item, index, name }: Groups): string => {
    if (variable !== undefined) return variableValue(variable, values)
    // A number without an argument may well be a price.
    if (item !== undefined || index !== undefined) return word(Number(item ?? index)) ?? token
    if (name !== undefined) return word(values.argumentNames.indexOf(name)) ?? ''
    unused.clear()
    return args
  }
  return {
    forms: placeholderForms(values.argumentNames),
    fill(groups: Groups): string {
      const { slashes = '', token = '' } = groups
      return slashes.length === 1 ? token : slashes + valueFor(groups)
    },
  }
}
