import type { Argument, Command, Option } from 'commander'
import { DEFAULT_COMMAND } from '../../arguments.js'

/** What is typed so far, and what is typed now. */
export interface Typed {
  readonly command: Command
  /** Its name below the program: `mcp test`; `''` for the program itself. */
  readonly path: string
  /** The word at the cursor. */
  readonly current: string
  /** What stands in that word before the part that is completed: `--model=`. */
  readonly lead: string
  /** Whose value is typed. */
  readonly of?: Option | Argument
  /** An option may stand here. */
  readonly optionsEnd: boolean
  readonly operands: readonly string[]
  /** Values of options, by their long names: `--project`. */
  readonly given: ReadonlyMap<string, string>
}

/**
 * Reads words as the parser would, and forgives what it would refuse: a line that is being typed is not finished.
 * @param words behind the name of the program; the last one is typed now and may be empty
 */
export function readTyped(program: Command, words: readonly string[]): Typed {
  const current = words.at(-1) ?? ''
  const given = new Map<string, string>()
  const operands: string[] = []
  let command = program
  let path = ''
  let pending: Option | undefined
  let optionsEnd = false
  // The parser leaves an option that is none of the program to what it does without a command, and so all that follows.
  const passOn = (name: string) => {
    const other = operands.length === 0 ? defaultOf(command) : undefined
    if (!other || optionOf(command, name) || !optionOf(other, name)) return
    command = other
    path = other.name()
  }
  for (const word of words.slice(0, -1)) {
    if (pending) {
      given.set(pending.long ?? '', word)
      pending = undefined
    } else if (!optionsEnd && word === '--') {
      optionsEnd = true
    } else if (!optionsEnd && /^-./.test(word)) {
      const [name = '', value] = halves(word)
      passOn(name)
      const option = optionOf(command, name)
      if (!option || !takesValue(option)) continue
      if (value === undefined) pending = option
      else given.set(option.long ?? '', value)
    } else {
      const child = operands.length === 0 ? childOf(command, word) : undefined
      if (child) {
        command = child
        path = path === '' ? child.name() : `${path} ${child.name()}`
      } else operands.push(word)
    }
  }
  const [name = '', value] = halves(current)
  const isOption = !pending && !optionsEnd && current.startsWith('-')
  if (isOption && value !== undefined) passOn(name)
  const typed = { command, path, current, lead: '', optionsEnd, operands, given }
  if (pending) return { ...typed, of: pending }
  if (isOption) {
    const option = value === undefined ? undefined : optionOf(command, name)
    return option && takesValue(option) ? { ...typed, of: option, lead: `${name}=` } : typed
  }
  const { registeredArguments: all } = command
  const last = all.at(-1)
  const argument = all[operands.length] ?? (last?.variadic ? last : undefined)
  return argument ? { ...typed, of: argument } : typed
}

/** The command whose options a command takes besides its own, as long as no other is named: of the program, what it does without one. */
export function defaultOf(command: Command): Command | undefined {
  return command.parent ? undefined : childOf(command, DEFAULT_COMMAND)
}

function halves(word: string): readonly [name: string, value?: string] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)]
}

function optionOf(command: Command, name: string): Option | undefined {
  return command.options.find(({ short, long }) => short === name || long === name)
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional
}

function childOf(command: Command, name: string): Command | undefined {
  return command.commands.find((each) => each.name() === name || each.aliases().includes(name))
}
