import { applyWords } from './apply.js'
import { builtin, isBuiltin } from './builtins.js'
import { Call, CommandUnit } from './call.js'
import { isHarmless } from './environment.js'
import { guess } from './guess.js'
import { mention } from './mention.js'
import { baseName, findProgram } from './programs/lookup.js'
import { readWords } from './programs/read.js'
import type { Invocation, Shell } from './shell.js'
import { type Outcome, type State, same } from './state.js'
import { DYNAMIC } from './types.js'
import type { Arg } from './word.js'
import { checkWritten } from './written.js'

/** What a command with these words does. */
export function invoke(shell: Shell, invocation: Invocation): Outcome {
  const { args, state } = invocation
  const [name, ...rest] = args
  if (!name) return same(state)
  if (invocation.place.depth > 200) {
    shell.report.unknown({ code: 'limit', message: 'Commands run commands more than 200 deep.', span: invocation.span })
    return same(state)
  }
  if (name.text.includes(DYNAMIC) || name.glob || name.split || name.text === '')
    return unknownProgram(shell, invocation)
  const found = findProgram(name.text, shell.programs, shell.foldCase)
  const words = found && readWords(found.row, args)
  const program = found?.name ?? baseName(name.text, shell.foldCase)
  const call = new Call(shell, invocation, new CommandUnit(invocation, program, found?.row, words), found?.row)
  checkName(call, name)
  if (name.text.includes('/')) checkWritten(call, name, state)
  checkEnvironment(call)
  const redefined = state.redefined.get(name.text)
  if (redefined === 'function') {
    call.unit.transparent = true
    return { ok: moved(shell, state), fail: moved(shell, state) }
  }
  if (redefined === 'alias') call.unknown('redefined', `\`${name.text}\` was given another meaning in the same line`)
  if (!found || !words) {
    call.unit.suspects = suspectsOf(rest, shell)
    for (const arg of rest) mention(call, arg, state, true)
    guess(call, 1, state)
    return same(state)
  }
  const outcome = isBuiltin(program) && !name.text.includes('/') ? builtin(call, program, words) : undefined
  return outcome ?? applyWords(call, program, words)
}

/** A function may have gone somewhere else. */
function moved(shell: Shell, state: State): State {
  return shell.moves ? { ...state, cwd: undefined } : state
}

/** Which program it is will only be known when the line runs. Deny and ask rules still see what it may be. */
function unknownProgram(shell: Shell, invocation: Invocation): Outcome {
  const [name, ...rest] = invocation.args
  const texts = rest.map(({ text }) => text)
  const base = name && /\/([^/*?[\]\uFFFC]+)$/.exec(name.text)?.[1]
  const readings: string[][] = []
  if (base !== undefined) readings.push([base, ...texts])
  // What expands to nothing makes the next word the program.
  if (name?.split && rest.length > 0) readings.push(texts)
  const unit = new CommandUnit(invocation, base ?? '', undefined, undefined, readings)
  const call = new Call(shell, invocation, unit)
  call.unit.suspects = suspectsOf(rest, shell)
  call.unknown('program', 'Which program runs is only known when the line runs')
  for (const arg of rest) mention(call, arg, invocation.state, true)
  return same(invocation.state)
}

/** Other commands that may be hidden behind a program of which nothing is known. */
function suspectsOf(rest: readonly Arg[], { programs, foldCase }: Shell): readonly (readonly string[])[] {
  const suspects: string[][] = []
  for (let at = 0; at < rest.length && suspects.length < 4; at++) {
    const text = rest[at]?.text ?? ''
    if (/[\s;&|]/.test(text)) continue
    if (text !== '' && !text.startsWith('-') && findProgram(text, programs, foldCase)) {
      suspects.push(rest.slice(at).map((arg) => arg.text))
    }
  }
  return suspects
}

/** A name that only looks like the name of a program. */
function checkName(call: Call, { text }: Arg): void {
  if (/[^\x20-\x7e]/.test(text))
    call.unknown('characters', `The name \`${text}\` holds letters that may look like others`, 0)
}

function checkEnvironment(call: Call): void {
  const { parent } = call.place
  const told = parent === undefined ? [] : (call.shell.report.units[parent]?.env ?? [])
  for (const { name } of call.assigned) {
    if (isHarmless(name) || told.some((each) => each.name === name)) continue
    call.unknown('environment', `\`${name}\` in the environment can change what \`${call.unit.argv[0]}\` does`)
  }
}
