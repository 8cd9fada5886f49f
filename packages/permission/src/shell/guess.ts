import type { Applied } from './apply.js'
import type { Call } from './call.js'
import { touch } from './effects.js'
import {
  CODE_FILE_OPTION,
  CODE_OPTION,
  CODE_SETTING,
  CODE_TEXT,
  EXTENDS,
  FETCHES,
  LOAD_OPTION,
  MESSAGE_OPTION,
  NAMES,
  OUTPUT_OPTION,
  PRELOADS,
  QUIET_VALUE,
  RECKLESS,
  RUNS,
  SCRIPT_FILE,
  SOURCE_OPTION,
  SQL,
  WORDS,
} from './looks.js'
import { mention } from './mention.js'
import { findProgram, isProjectTool } from './programs/lookup.js'
import type { State } from './state.js'
import { DYNAMIC } from './types.js'
import type { Arg } from './word.js'

/** Scripts that take sub-commands as programs do: `php artisan`, `python manage.py`. */
const CONSOLE = /(?:^|\/)(?:[\w-]+|manage\.py|[\w-]+\.phar)$/

/** What the table does not say: words of a sub-command that it does not have, options that a row does not list. */
export function guessRest(call: Call, { words, state }: Applied): void {
  const { options, operands, row, isListed, innerAt = call.args.length, special } = words
  if (special === 'git' && !isListed) return
  const [script] = operands
  const console = special === 'language' && script && CONSOLE.test(script.arg.text)
  const wordsToo = console || !isListed || (row.runs === 'unseen' && words.sub.length === 0)
  const told = new Set<number>()
  for (const { name, role, at, valueAt } of options) {
    if (name === '-D' || (role === undefined && !/^-\d/.test(name))) continue
    told.add(at)
    if (valueAt !== undefined) told.add(valueAt)
  }
  if (!wordsToo) for (const { at } of operands) told.add(at)
  if (!wordsToo && options.every(({ at }) => told.has(at))) return
  const from = isListed ? words.bodyAt : 1
  guess(call, from, state, (at) => told.has(at) || at >= innerAt)
  if (row.readOnly === true) return
  for (const { role, at, value } of options) {
    const next = call.args[at + 1]
    if (role === undefined && !told.has(at) && !value && next && !next.text.startsWith('-'))
      mention(call, next, state, true)
  }
}

/**
 * What words may do of which the table does not know what they are for: they may be a command, or hold one, or tell the
 * program what to load.
 * @param explained whether the table says what the word at a place is for
 */
export function guess(call: Call, from: number, state: State, explained: (at: number) => boolean = () => false): void {
  const { args } = call
  let names = false
  let behind = false
  let fetches = false
  let before = ''
  let operands = 0
  for (let at = from; at < args.length; at++) {
    const arg = args[at]
    if (!arg || explained(at)) continue
    const { text } = arg
    if (text === '--') {
      behind = true
      names = false
    } else if (text.startsWith('-') && text.length > 1) {
      if (MESSAGE_OPTION.test(text.replace(/=.*$/s, ''))) at += text.includes('=') ? 0 : 1
      else guessOption(call, arg, at, explained(at + 1) ? undefined : args[at + 1], state)
    } else {
      guessText(call, arg, at)
      // A console that is given words is one of commands, not one to talk to.
      const isConsole = text === 'console' && /^[^-]/.test(args[at + 1]?.text ?? '')
      if (RUNS.test(text) && !isConsole && operands < 4 && !names)
        call.unknown('code', `\`${call.unit.program} ${text}\` may run what follows`, at)
      if (!names && isCommand(args, at, behind, call))
        call.unknown('program', `\`${shown(text)}\` may be a command that \`${call.unit.program}\` runs`, at)
      if (EXTENDS.test(`${before} ${text}`)) told(call, text, at)
      if (/^git\+|^git@|\.git$/.test(text) && names)
        call.unknown('input', `\`${call.unit.program}\` may run what it fetches`, at)
      before = text
      if (fetches && /^https?:/i.test(text))
        call.unknown('input', `\`${call.unit.program}\` may run what it fetches`, at)
      if (operands < 2 && NAMES.test(text)) names = true
      if (operands < 2 && FETCHES.test(text)) fetches = true
      operands++
      behind = false
    }
  }
}

/** Whether a program stands here with words for it. */
function isCommand(args: readonly Arg[], at: number, behind: boolean, { shell }: Call): boolean {
  const text = args[at]?.text ?? ''
  if (behind && /^(?:\.{1,2}\/[\w/-]+|[^\s=]*\/[^\s=]*\.(?:sh|bash))$/.test(text)) return true
  if (text.includes('/') && !/^\/(?:usr\/(?:local\/)?)?s?bin\/[^/=]+$/.test(text)) return false
  const found = findProgram(text, shell.programs, shell.foldCase)
  if (!found || isProjectTool(found.row)) return false
  return behind || (args[at + 1] !== undefined && !WORDS.has(text))
}

function guessOption(call: Call, arg: Arg, at: number, next: Arg | undefined, state: State): void {
  const { text } = arg
  const equals = text.indexOf('=')
  const name = equals === -1 ? text : text.slice(0, equals)
  if (RECKLESS.test(text)) told(call, name, at)
  if (/^-[^-]./.test(text)) {
    guessSetting(call, text.replace(/^-D?/, ''), at)
    if (name.length > 2 && SCRIPT_FILE.test(text)) told(call, text, at)
  }
  const attached = equals !== -1
  const value = attached ? { ...arg, text: text.slice(equals + 1) } : next
  if (!value || (!attached && /^-\S*$/.test(value.text)) || QUIET_VALUE.test(value.text) || SQL.test(value.text)) return
  const valueAt = attached ? at : at + 1
  if (attached) guessText(call, value, at)
  if (OUTPUT_OPTION.test(name)) written(call, value, state)
  const { text: given } = value
  const code =
    CODE_OPTION.test(name) ||
    SOURCE_OPTION.test(name) ||
    holdsOption(given) ||
    (LOAD_OPTION.test(name) && /[\s/\\]|\.\w+$/.test(given)) ||
    (CODE_FILE_OPTION.test(name) && /\.(?:[cm]?[jt]s|py|rb)$|^[^\s:]*\/[\w-]+$|^https?:/.test(given)) ||
    (/^-[ceExX]$/.test(name) && /[;|&`$(){}\s]/.test(given)) ||
    (call.row === undefined && /^-[a-zA-Z]$/.test(name) && !/^-[oiOf]$/.test(name) && SCRIPT_FILE.test(given))
  if (code) told(call, name, valueAt)
}

/** Options for another program, among them one that takes a command: `--args "--post-renderer ./x"`. */
function holdsOption(text: string): boolean {
  return /\s/.test(text) && text.split(/[\s=]+/).some((word) => word.startsWith('-') && CODE_OPTION.test(word))
}

/** It is likely written, wherever it is. */
function written({ shell, index, span, place }: Call, arg: Arg, state: State): void {
  touch(shell, { kind: 'write', arg, state, unit: index, span, remote: place.remote, doubtful: true })
}

function told(call: Call, name: string, at: number): void {
  call.unknown('option', `\`${shown(name)}\` may tell \`${call.unit.program}\` what to run or load`, at)
}

/** A word that is a command line, or code. */
function guessText(call: Call, arg: Arg, at: number): void {
  const { text } = arg
  if (mayBeLine(text, call) || CODE_TEXT.test(text) || /^!\s*[a-z][\w-]*(?:\s|$)|^\|\s*\S|\S\s*\|$/.test(text))
    call.unknown('code', `\`${shown(text)}\` may be code or a command`, at)
  guessSetting(call, text, at)
}

function guessSetting(call: Call, text: string, at: number): void {
  const key = /^[\w.:-]+(?==)/.exec(text)?.[0]
  if (key === undefined) return
  const rest = text.slice(key.length + 1)
  if (PRELOADS.test(key) && !/^--max-old-space-size=\d+$/.test(rest)) told(call, key, at)
  if (rest.startsWith('!')) told(call, key, at)
  if (CODE_SETTING.test(key) && !QUIET_VALUE.test(rest)) told(call, key, at)
}

/** Whether a word reads like a command line: a program and words for it, or several commands. */
function mayBeLine(text: string, { shell }: Call): boolean {
  if (text.includes(DYNAMIC)) return false
  if (!/\s/.test(text)) return /\$\([^)]|^[^\s]+;\s*\w/.test(text)
  if (/[|;&]\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b|\$\(|`/.test(text)) return true
  const [, first = '', second = ''] = /^\s*(?:[A-Za-z_]\w*=\S*\s+)*(?:\w+:)?(\S+)\s+(\S*)/.exec(text) ?? []
  if (!findProgram(first, shell.programs, shell.foldCase)) return false
  return !WORDS.has(first) || /[;|&<>]/.test(text) || /^[-./]/.test(second)
}

function shown(text: string): string {
  return text.replaceAll(DYNAMIC, '…').slice(0, 60)
}
