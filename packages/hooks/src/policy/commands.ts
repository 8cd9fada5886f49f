import { resolvePath } from '@ext/kernel/match'
import type { HashPort } from '@ext/kernel/trust'
import type { CommandAction } from '../config/actions.js'
import { commandLine } from '../config/command-line.js'

/** Where a command is looked at. */
export interface CommandPlace {
  readonly folders: Readonly<Record<string, string>>
  readonly root: string
  readonly home: string
  /** Where it runs, unless it says so itself. */
  readonly cwd: string
  /** Without it no script has a hash, so none is listed. */
  readonly hash?: HashPort
}

const INTERPRETERS = /^(?:.*\/)?(?:sh|bash|dash|zsh|python|python3|node|deno|ruby|perl)$/

/**
 * Whether a list names a command: its whole text, its program, or the hash of the script that it is or that it hands to an
 * interpreter. Variables that it sets could choose another program, so a command that sets any is not named.
 */
export function isListed(action: CommandAction, listed: readonly string[], place: CommandPlace): boolean {
  if (Object.keys(action.env).length > 0) return false
  const command = commandLine(action, place.folders)
  if ('script' in command && listed.includes(command.script)) return true
  const words = 'script' in command ? plainWords(command.script, place.folders) : [command.file, ...command.args]
  const [program, first] = words
  if (program === undefined) return false
  if (!program.startsWith('sha256:') && listed.includes(program)) return true
  const script = INTERPRETERS.test(program) ? first : program.includes('/') ? program : undefined
  if (script === undefined || script.startsWith('-') || !place.hash) return false
  const base = action.cwd === undefined ? place.cwd : resolvePath(action.cwd, { cwd: place.root, home: place.home })
  const file = place.hash.file(resolvePath(script, { cwd: base, home: place.home }))
  return file.failure === undefined && listed.includes(`sha256:${file.sha256}`)
}

const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g

/** A variable ends where its name does, so that there is one way to read a word. */
const PLAIN = /^(?:"(?:[\w@%+=:,./~ -]|\$\{\w+\}|\$\w+(?!\w))*"|'[^']*'|[\w@%+=:,./-]|\$\{\w+\}|\$\w+(?!\w))+$/

/** The words of a shell script that is one command of plain words; none of any other. */
function plainWords(script: string, folders: CommandPlace['folders']): readonly string[] {
  const written = script.match(WORD) ?? []
  const hasOpenQuote = script.replaceAll(WORD, '').trim() !== ''
  if (hasOpenQuote || /[\n\r]/.test(script.trim()) || !written.every((word) => PLAIN.test(word))) return []
  const words = written.map((word) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"|\$\{(\w+)\}|\$(\w+)/g, (_, single, double, braced, plain) => {
      if (single !== undefined) return single
      if (double !== undefined) return fill(double, folders)
      return folders[braced ?? plain] ?? '\0'
    }),
  )
  return words.some((word) => word.includes('\0')) ? [] : words
}

/** A variable that is not known makes a word that no list has. */
function fill(text: string, folders: CommandPlace['folders']): string {
  return text.replaceAll(/\$\{(\w+)\}|\$(\w+)/g, (_, braced, plain) => folders[braced ?? plain] ?? '\0')
}
