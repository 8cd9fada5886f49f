import { applyWords } from './apply.js'
import type { Call } from './call.js'
import { touch } from './effects.js'
import { executes, isHarmless } from './environment.js'
import { applyOption } from './options.js'
import { absolutePath, isBelow } from './paths.js'
import type { WordsRead } from './programs/read.js'
import { blurred, type Outcome, type State, same, withCwd, withRedefined, withVariable } from './state.js'
import { DYNAMIC } from './types.js'
import type { Arg } from './word.js'
import { checkWritten } from './written.js'

type Builtin = (call: Call, words: WordsRead) => Outcome | undefined

/** Commands of the shell itself that change what the rest of the line means. The table knows them too, as rows. */
const BUILTINS: Readonly<Record<string, Builtin>> = {
  cd: (call, words) => changeFolder(call, words),
  chdir: (call, words) => changeFolder(call, words),
  pushd: (call, words) => changeFolder(call, words),
  popd: (call) => ({ ok: withCwd(call.state, undefined), fail: call.state }),
  eval: (call) => evaluate(call, call.args.slice(1)),
  exec: (call, words) => replaceShell(call, words),
  command: (call, words) =>
    hasFlag(words, '-v') || hasFlag(words, '-V') ? lookUp(call) : runHere(call, 'command', words),
  builtin: (call, words) => runHere(call, 'builtin', words),
  noglob: (call, words) => runHere(call, 'noglob', words),
  nocorrect: (call, words) => runHere(call, 'nocorrect', words),
  trap: (call, words) => setTrap(call, words),
  source: (call) => sourceFile(call),
  '.': (call) => sourceFile(call),
  export: (call, words) => declare(call, words, true),
  declare: (call, words) => declare(call, words, hasFlag(words, '-x')),
  typeset: (call, words) => declare(call, words, hasFlag(words, '-x')),
  readonly: (call, words) => declare(call, words, false),
  local: (call, words) => declare(call, words, hasFlag(words, '-x')),
  read: (call, words) => {
    const array = words.options.flatMap(({ name, value }) => (name === '-a' && value ? [value.text] : []))
    call.unit.transparent = true
    return setNames(call, [...array, ...words.operands.map(({ arg }) => arg.text)])
  },
  mapfile: (call, words) =>
    setNames(
      call,
      words.operands.map(({ arg }) => arg.text),
    ),
  readarray: (call, words) =>
    setNames(
      call,
      words.operands.map(({ arg }) => arg.text),
    ),
  getopts: (call, words) =>
    setNames(
      call,
      words.operands.slice(1).map(({ arg }) => arg.text),
    ),
  unset: (call, words) =>
    setNames(
      call,
      words.operands.map(({ arg }) => arg.text),
    ),
  printf: (call, words) => {
    const named = words.options.find(({ name }) => name === '-v')?.value
    return named ? setNames(call, [named.text]) : undefined
  },
  alias: (call, words) => defineAliases(call, words),
  hash: (call, words) => redefine(call, words, hasFlag(words, '-p')),
  enable: (call, words) => redefine(call, words, words.operands.length > 0),
  test: (call) => checkSubscripts(call),
  '[': (call) => checkSubscripts(call),
  let: (call) => checkSubscripts(call, true),
  set: (call, words) => setOptions(call, words),
  exit: (call) => ends(call),
  return: (call) => ends(call),
  logout: (call) => ends(call),
}

export function isBuiltin(program: string): boolean {
  return Object.hasOwn(BUILTINS, program)
}

/** `undefined`: what the table says about it is all there is to say. */
export function builtin(call: Call, program: string, words: WordsRead): Outcome | undefined {
  for (const option of words.options) applyOption(call, option, { program, words, state: call.state })
  return BUILTINS[program]?.(call, words)
}

function hasFlag({ options }: WordsRead, name: string): boolean {
  return options.some((option) => option.name === name)
}

function changeFolder(call: Call, { operands }: WordsRead): Outcome {
  const { state, shell } = call
  const [target, ...more] = operands
  const { home, env } = shell.context
  if (more.length > 0 || state.variables.has('CDPATH') || env?.['CDPATH'] !== undefined)
    return { ok: withCwd(state, undefined), fail: state }
  const text = target ? target.arg.text : '~'
  const known =
    text !== '-' &&
    !/^[-+]\d+$/.test(text) &&
    !target?.arg.glob &&
    !text.includes(DYNAMIC) &&
    !/[^/.][^/]*\/+\.\./.test(text)
  const folders = known ? state.cwd?.flatMap((cwd) => absolutePath(text, cwd, home) ?? []) : undefined
  const absolute = known && state.cwd === undefined ? absolutePath(text, undefined, home) : undefined
  const cwd = folders ?? (absolute === undefined ? undefined : [absolute])
  call.unit.transparent = cwd?.every((folder) => shell.roots.some((root) => isBelow(folder, root))) ?? false
  call.unit.readOnly = call.unit.transparent
  return { ok: withCwd(state, cwd), fail: state }
}

function evaluate(call: Call, args: readonly Arg[]): Outcome {
  const [first] = args
  call.unit.transparent = true
  if (!first) return same(call.state)
  const text = args.map((arg) => arg.text).join(' ')
  const span = { start: first.span.start, end: Math.max(first.span.end, args.at(-1)?.span.end ?? 0) }
  return call.shell.text(text, call.state, { ...call.within('eval'), span })
}

function replaceShell(call: Call, words: WordsRead): Outcome {
  call.unit.transparent = true
  if (words.innerAt === undefined) return same(call.state)
  return { ...applyWords(call, 'exec', words), ends: true }
}

/** It only tells what a name stands for. */
function lookUp(call: Call): Outcome {
  call.unit.readOnly = true
  return same(call.state)
}

/** Runs a command in the shell itself, so that `builtin cd` goes somewhere. */
function runHere(call: Call, program: string, { innerAt, row }: WordsRead): Outcome {
  if (innerAt === undefined) return same(call.state)
  call.unit.transparent = row.transparent === true
  return call.inner(call.args.slice(innerAt), program)
}

function setTrap(call: Call, { operands }: WordsRead): Outcome {
  const [action, ...signals] = operands
  if (action && signals.length > 0 && action.arg.text !== '-') {
    // It runs at some later time.
    call.shell.text(action.arg.text, blurred(call.state, call.shell.moves), {
      ...call.within('trap'),
      span: action.arg.span,
    })
  }
  return same(call.state)
}

function sourceFile(call: Call): Outcome {
  const [, file] = call.args
  if (!file) return same(call.state)
  if (file.pipe || file.text.includes(DYNAMIC) || /^\/dev\/(?:stdin|fd\/)/.test(file.text)) {
    call.unknown('input', 'A script is run that is only known when the line runs')
  }
  const { shell, state, index, span, place } = call
  checkWritten(call, file, state)
  touch(shell, { kind: 'read', arg: file, state, unit: index, span, remote: place.remote })
  // It may have changed every variable.
  return same(blurred(state, false))
}

function declare(call: Call, words: WordsRead, exported: boolean): Outcome {
  let next = call.state
  for (const { arg } of words.operands) {
    const [, name, append, value] = /^([A-Za-z_]\w*)(?:\[.*\])?(?:(\+?)=([\s\S]*))?$/.exec(arg.text) ?? []
    if (name === undefined) {
      if (/[[$`]/.test(arg.text) || arg.text.includes(DYNAMIC))
        call.unknown('environment', 'Which variable is set is only known when the line runs')
      continue
    }
    const before = next.variables.get(name)
    const values = value === undefined ? (before?.values ?? [DYNAMIC]) : append ? [DYNAMIC] : [value]
    checkName(call, name, exported)
    checkDeclared(call, words, arg.text.slice(name.length))
    next = withVariable(next, name, { values, exported })
  }
  return same(next)
}

/** Subscripts are evaluated, and so is the value of an integer; `-n` makes a name stand for any other. */
function checkDeclared(call: Call, words: WordsRead, rest: string): void {
  const evaluated = hasFlag(words, '-i') ? rest : (/^\[.*?\](?==|\+=|$)/.exec(rest)?.[0] ?? '').slice(1, -1)
  if (/[[$`\uFFFC]/.test(evaluated))
    call.unknown('expansion', `\`${call.unit.program}\` evaluates a text that can run commands`)
  if (hasFlag(words, '-n')) call.unknown('environment', 'A name is made to stand for another variable')
}

function checkName(call: Call, name: string, exported: boolean): void {
  if (exported ? !isHarmless(name) : executes(name))
    call.unknown('environment', `\`${name}\` can change what later commands run`)
}

function setNames(call: Call, names: readonly string[]): Outcome {
  let next = call.state
  for (const text of names) {
    if (!/^[A-Za-z_]\w*$/.test(text)) {
      if (/[[$`\uFFFC]/.test(text))
        call.unknown('expansion', `\`${call.unit.program}\` evaluates a name that can run commands`)
      continue
    }
    checkName(call, text, false)
    next = withVariable(next, text, { values: [DYNAMIC], exported: false })
  }
  return same(next)
}

function defineAliases(call: Call, { operands, options }: WordsRead): Outcome {
  let next: State = call.state
  for (const { arg } of operands) {
    const [, name, body] = /^([^=]+)=([\s\S]*)$/.exec(arg.text) ?? []
    if (name === undefined || body === undefined) continue
    next = withRedefined(next, name, 'alias')
    if (options.length > 0) call.unknown('redefined', `The alias \`${name}\` also holds for words that are no commands`)
    call.shell.text(body, blurred(call.state, call.shell.moves), { ...call.within('alias'), span: arg.span })
  }
  return same(next)
}

function redefine(call: Call, { operands }: WordsRead, does: boolean): Outcome {
  if (!does) return same(call.state)
  call.unknown('redefined', `\`${call.unit.program}\` gives names another meaning`)
  return same(operands.reduce((state, { arg }) => withRedefined(state, arg.text, 'alias'), call.state))
}

/** `test -v name` evaluates the subscript of the name, and with it what is substituted there. */
function checkSubscripts(call: Call, always = false): Outcome | undefined {
  const words = call.args.slice(1)
  const evaluated = words.filter((_, at) => always || words[at - 1]?.text === '-v' || words[at - 1]?.text === '-R')
  if (evaluated.some(({ text }) => /[[$`\uFFFC]/.test(text))) {
    call.unknown('expansion', `\`${call.unit.program}\` evaluates a name that can run commands`)
  }
  return always
    ? setNames(
        call,
        words.flatMap(({ text }) => text.match(/[A-Za-z_]\w*(?=\s*[-+*/%&|^]?=)/g) ?? []),
      )
    : undefined
}

function setOptions(call: Call, { operands }: WordsRead): Outcome {
  const strict = call.args.slice(1).every(({ text }) => /^[-+][euxofnvEBCmhT]+$|^[a-z]+$/.test(text))
  call.unit.transparent = strict && call.args.length > 1
  if (operands.length === 0 || strict) return same(call.state)
  let next = call.state
  for (const name of [...operands.keys()].map((at) => String(at + 1)).concat('@', '*')) {
    next = withVariable(next, name, { values: [DYNAMIC], exported: false })
  }
  return same(next)
}

function ends(call: Call): Outcome {
  call.unit.transparent = true
  return { ...same(call.state), ends: true }
}
