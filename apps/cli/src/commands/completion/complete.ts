import type { Command } from 'commander'
import type { Io } from '../../io.js'
import { oneLine, printable } from '../../render/words.js'
import { kindOf } from './kinds.js'
import { defaultOf, readTyped, type Typed } from './typed.js'

/** What could stand at the cursor. */
export interface Candidate {
  readonly value: string
  readonly about?: string
}

/**
 * Prints a line for each word that fits: the word, a tab, and what it is; `:files` and `:folders` leave it to the shell.
 * Never fails and says nothing else: it is asked in the middle of a line that somebody types.
 */
export async function complete(program: Command, words: readonly string[], io: Io): Promise<number> {
  const typed = readTyped(program, words)
  const kind = kindOf(typed)
  if (kind === 'file' || kind === 'folder') io.out(`:${kind}s`)
  else {
    const silent: Io = { ...io, err: () => {} }
    for (const { value, about = '' } of await candidates(typed, kind, silent)) {
      const whole = typed.lead + value
      // What would have to be shown otherwise than it is can't be typed either.
      if (!whole.startsWith(typed.current) || /\s/.test(value.replaceAll(' ', '')) || printable(value) !== value)
        continue
      io.out(`${whole}\t${printable(oneLine(about, 60))}`)
    }
  }
  return 0
}

async function candidates(typed: Typed, kind: ReturnType<typeof kindOf>, silent: Io): Promise<readonly Candidate[]> {
  const { command, current, of, optionsEnd, operands } = typed
  if (of?.argChoices) return of.argChoices.map((value) => ({ value }))
  if (kind) {
    const { namesOf } = await import('./names.js')
    return namesOf(kind, typed, silent).catch(() => [])
  }
  const help = command.createHelp()
  if (!optionsEnd && current.startsWith('-')) {
    const other = operands.length === 0 ? defaultOf(command) : undefined
    const options = [command, ...(other ? [other] : [])].flatMap((each) => help.visibleOptions(each))
    const found = options.flatMap(({ short, long, description }): readonly Candidate[] => {
      const value = long?.startsWith(current) ? long : (short ?? long)
      return value === undefined ? [] : [{ value, about: description }]
    })
    // Both have --help; that of the program goes before.
    return found.filter(({ value }, at) => found.findIndex((each) => each.value === value) === at)
  }
  if (operands.length > 0) return []
  return help.visibleCommands(command).map((each) => ({ value: each.name(), about: each.description() }))
}
