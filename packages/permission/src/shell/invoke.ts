import { applyWords } from './apply.js'
import { builtin, isBuiltin } from './builtins.js'
import { touch } from './effects.js'
import { isHarmless } from './environment.js'
import { baseName, findProgram } from './programs/lookup.js'
import { readWords } from './programs/read.js'
import { readingsOf } from './readings.js'
import type { MutableUnit } from './report.js'
import type { Invocation, Place, Shell } from './shell.js'
import { type Outcome, type State, same } from './state.js'
import { DYNAMIC, type EnvAssignment, type ShellUnit, type Unknown } from './types.js'
import type { Arg } from './word.js'

/** A command that is being looked at: what came in, the unit made of it, and ways to say more about it. */
export interface Call extends Invocation {
  readonly shell: Shell
  readonly unit: MutableUnit
  /** `undefined` while nothing is kept. */
  readonly index: number | undefined
  unknown(code: Unknown['code'], message: string, spelled?: number): void
  /** The place of what this command runs. */
  within(via: string): Place
  /** Runs words of it as a command of their own. */
  inner(
    args: readonly Arg[],
    via: string,
    changes?: Partial<Pick<Invocation, 'assigned' | 'state'>> & { remote?: boolean },
  ): Outcome
}

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
  const call = newCall(shell, invocation, program, () => readingsOf(args, program, found?.row, words))
  checkName(call, name)
  checkEnvironment(call)
  const redefined = state.redefined.get(name.text)
  if (redefined === 'function') {
    call.unit.transparent = true
    return { ok: moved(shell, state), fail: moved(shell, state) }
  }
  if (redefined === 'alias') call.unknown('redefined', `\`${name.text}\` was given another meaning in the same line`)
  if (!found || !words) {
    call.unit.suspects = suspectsOf(rest, shell)
    mention(call, rest)
    return same(state)
  }
  const outcome = isBuiltin(program) && !name.text.includes('/') ? builtin(call, program, words) : undefined
  return outcome ?? applyWords(call, program, words)
}

/** A function may have gone somewhere else. */
function moved(shell: Shell, state: State): State {
  return shell.moves ? { ...state, cwd: undefined } : state
}

function newCall(
  shell: Shell,
  invocation: Invocation,
  program: string,
  readings: () => Pick<ShellUnit, 'readings' | 'same'>,
): Call {
  const { args, place, span, state, assigned } = invocation
  let made: Pick<ShellUnit, 'readings' | 'same'> | undefined
  const unit: MutableUnit = {
    argv: args.map(({ text }) => text),
    program,
    span,
    cwd: place.remote || state.cwd?.length !== 1 ? undefined : state.cwd[0],
    env: [...exported(state), ...assigned],
    via: place.via,
    ...(place.parent === undefined ? {} : { parent: place.parent }),
    transparent: false,
    // Most commands meet no rule that needs these.
    get readings() {
      made ??= readings()
      return made.readings
    },
    get same() {
      made ??= readings()
      return made.same
    },
    suspects: NONE,
    readOnly: false,
    remote: place.remote,
  }
  const index = shell.report.unit(unit)
  return {
    ...invocation,
    shell,
    unit,
    index,
    unknown(code, message, spelled) {
      shell.report.unknown({
        code,
        message: `${message}.`,
        span,
        ...(index === undefined ? {} : { unit: index }),
        ...(spelled === undefined ? {} : { spelled }),
      })
    },
    within: (via) => ({
      ...place,
      via: [...place.via, via],
      depth: place.depth + 1,
      ...(index === undefined ? {} : { parent: index }),
    }),
    inner(words, via, { remote = place.remote, ...changes } = {}) {
      return shell.invoke({
        args: words,
        assigned,
        state,
        span,
        ...changes,
        place: { ...this.within(via), remote },
      })
    },
  }
}

const NONE: readonly never[] = []

function exported({ variables }: State): readonly EnvAssignment[] {
  if (variables.size === 0) return NONE
  return [...variables].flatMap(([name, variable]) => {
    if (!variable.exported) return []
    const [value] = variable.values
    return [{ name, value: variable.values.length === 1 && !value?.includes(DYNAMIC) ? value : undefined }]
  })
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
  const call = newCall(shell, invocation, base ?? '', () => ({ readings, same: [] }))
  call.unit.suspects = suspectsOf(rest, shell)
  call.unknown('program', 'Which program runs is only known when the line runs')
  mention(call, rest)
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

/** Words of an unknown program that may be files. */
function mention(call: Call, rest: readonly Arg[]): void {
  for (const arg of rest) for (const text of pathsIn(arg.text)) mentionPath(call, { ...arg, text })
}

export function mentionPath({ shell, state, index, span, place }: Call, arg: Arg): void {
  touch(shell, { kind: 'mention', arg, state, unit: index, span, recursive: true, remote: place.remote })
}

/** The word itself, what stands behind `=`, and what is attached to an option. */
function pathsIn(word: string): readonly string[] {
  const paths = word.startsWith('-') ? [] : [word]
  const equals = word.indexOf('=')
  if (equals !== -1) paths.push(word.slice(equals + 1))
  if (/^-[^-]./.test(word)) paths.push(word.slice(2))
  return paths.filter((text) => text !== '' && !text.includes(DYNAMIC))
}

/** A name that only looks like the name of a program. */
function checkName(call: Call, { text }: Arg): void {
  if (/[^\x20-\x7e]/.test(text))
    call.unknown('characters', `The name \`${text}\` holds letters that may look like others`, 0)
}

function checkEnvironment(call: Call): void {
  const { parent } = call.place
  const told = parent === undefined ? NONE : (call.shell.report.units[parent]?.env ?? NONE)
  for (const { name } of call.assigned) {
    if (isHarmless(name) || told.some((each) => each.name === name)) continue
    call.unknown('environment', `\`${name}\` in the environment can change what \`${call.unit.argv[0]}\` does`)
  }
}
