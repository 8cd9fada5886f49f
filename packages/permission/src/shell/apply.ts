import type { Call } from './call.js'
import { checkRemoval } from './critical.js'
import { reach, touch } from './effects.js'
import { guessRest } from './guess.js'
import { mention } from './mention.js'
import { applyOption, query } from './options.js'
import { absolutePath, isBelow } from './paths.js'
import type { WordsRead } from './programs/read.js'
import type { OperandRole, OptionRole, ProgramRow, Special } from './programs/types.js'
import { applySpecial } from './special.js'
import { type Outcome, type State, same, withCwd } from './state.js'
import { DYNAMIC } from './types.js'
import { type Arg, plainArg } from './word.js'
import { checkWritten } from './written.js'

/** Does to the analysis what the table says that these words do. */
export function applyWords(call: Call, program: string, words: WordsRead): Outcome {
  const { row, special } = words
  const place = { program, words, state: workingState(call, words) }
  call.unit.readOnly = row.readOnly === true || (row.readOnly === 'bare' && words.operands.length === 0)
  call.unit.transparent = row.transparent === true && (row.runs === undefined || words.innerAt !== undefined)
  for (const option of words.options) applyOption(call, option, place)
  const outcome = special && applySpecial(call, special, place)
  if (outcome) return outcome
  if (row.runs === 'unseen') checkFolder(call, place.state, words)
  if (row.code)
    call.unknown('code', `\`${[program, ...words.sub].join(' ')}\` runs more than its words say`, words.bodyAt - 1)
  checkPlus(call, words)
  checkOpenWords(call, words)
  const told = words.innerAt !== undefined || words.options.some(({ role }) => role === 'exec' || role === 'code')
  if (row.input === 'code' && call.place.input && !told) {
    call.unknown('input', `\`${program}\` runs what it reads from ${call.place.input.from}`)
  }
  applyOperands(call, place)
  guessRest(call, place)
  if (row.runs || words.innerAt !== undefined) runInner(call, place)
  return same(call.state)
}

export interface Applied {
  readonly program: string
  readonly words: WordsRead
  /** With the folder in which the program works. */
  readonly state: State
}

/** What is defined in another folder than the workspace is somebody else's. */
export function checkFolder(call: Call, state: State, { options }: WordsRead): void {
  if (call.place.remote || options.some(({ role }) => role === 'cwd')) return
  const inside = state.cwd?.every((folder) => call.shell.roots.some((root) => isBelow(folder, root)))
  if (!inside) call.unknown('folder', 'It works outside of the workspace, where files can decide what runs')
}

/** `vim +command` and the like. */
function checkPlus(call: Call, { program, operands }: WordsRead): void {
  if (!program.plus) return
  const found = operands.find(({ arg }) => /^\+./.test(arg.text))
  if (found) call.unknown('code', `\`${shown(found.arg)}\` is a command of \`${call.unit.program}\``, found.at)
}

/** `-C folder` and the like. */
function workingState(call: Call, { options, row }: WordsRead): State {
  let { state } = call
  for (const { role, value, valueAt } of options) {
    if ((role !== 'cwd' && role !== 'place') || !value) continue
    const { home } = call.shell.context
    const folders = value.text.includes(DYNAMIC)
      ? undefined
      : state.cwd?.flatMap((cwd) => absolutePath(value.text, cwd, home) ?? [])
    state = withCwd(state, folders)
    if (role === 'place' || row.remote || call.place.remote) continue
    const inside = folders?.every((folder) => call.shell.roots.some((root) => isBelow(folder, root)))
    if (!inside)
      call.unknown(
        'folder',
        `It works in another folder, \`${shown(value)}\`, whose files can decide what runs`,
        valueAt,
      )
  }
  return state
}

/** Words that may turn out to be options of consequence. */
function checkOpenWords(call: Call, { row, program, special, operands, options, vagueAt }: WordsRead): void {
  if (vagueAt !== undefined) {
    call.unknown(
      'argument',
      `What \`${call.unit.program}\` is told to do depends on \`${shown(call.args[vagueAt])}\``,
      vagueAt,
    )
    const { unit } = call
    // Whether the word takes the next one with it or not.
    const rests = [1, 2].map((skip) => unit.argv.slice(vagueAt + skip)).filter((each) => each.length > 0)
    unit.suspects = [
      ...unit.suspects,
      ...rests,
      ...(program.commands ? rests.map((rest) => [unit.program, ...rest]) : []),
    ]
  }
  // Options of git itself stand before the sub-command only.
  if (!isSharp(row, special) && (special === 'git' || !isSharp(program, special))) return
  for (const { arg, at } of operands) {
    const open = arg.open || arg.split || (arg.glob && /^[*?[]/.test(arg.text))
    if (open && !behindDashes(call.args, at)) {
      call.unknown(
        'argument',
        `\`${shown(arg)}\` may become an option of \`${call.unit.program}\` that runs or writes something`,
      )
    }
  }
  for (const { value, role } of options) {
    if (value?.split && role !== 'flag') call.unknown('argument', `\`${shown(value)}\` may become several words`)
  }
}

function behindDashes(args: readonly Arg[], at: number): boolean {
  return args.slice(1, at).some(({ text }) => text === '--')
}

const SHARP: ReadonlySet<OptionRole> = new Set([
  'write',
  'into',
  'rewrites',
  'exec',
  'run',
  'code',
  'lead-code',
  'opaque',
  'opaque-flag',
  'config',
])

function isSharp({ options = {} }: ProgramRow, special: Special | undefined): boolean {
  if (special === 'find' || special === 'sed' || special === 'awk') return true
  return Object.values(options).some((role) => SHARP.has(role as OptionRole))
}

export function applyOperands(call: Call, { words, state, program }: Applied): void {
  const { row, options } = words
  const lead = options.some(({ role }) => role?.startsWith('lead')) ? 0 : (row.lead ?? 0)
  const files = words.operands.slice(row.runs === 'command' || row.runs === 'shell' ? words.operands.length : lead)
  const isDry = options.some(({ role }) => role === 'dry')
  const [first] = files
  if (!first && !call.place.input && roleAt(row, 0) === 'read' && isRecursive(row.recursive, call.args)) {
    // Without a place, they search the folder that they are in.
    fileEffect(call, 'read', plainArg('.', call.span), state)
  }
  if (row.unpacks && !options.some(({ role }) => role === 'write') && !isDry) {
    fileEffect(call, 'write', plainArg('.', call.span), state, true)
  }
  const into = options.some(({ role }) => role === 'into')
  const rewrites = options.some(({ role }) => role === 'rewrites')
  // What runs is told by an option, so the first operand is not it.
  const named = options.some(({ role }) => role === 'code' || role === 'module' || role === 'lead-code')
  files.forEach(({ arg, at }, index) => {
    const isLast = index === files.length - 1 && files.length > 1 && !into
    const own = isLast && row.last ? row.last : roleAt(row, index)
    const role = named && own === 'script' ? 'mention' : isDry && own === 'move' ? 'read' : own
    applyOperand(call, role, arg, at, state, row.readOnly !== true)
    if (rewrites && (role === 'read' || role === 'mention')) fileEffect(call, 'write', arg, state)
    if (row.removes && !(isLast && row.last)) checkRemoval(call, arg, state, program)
  })
}

function roleAt({ operands, readOnly }: ProgramRow, index: number): OperandRole {
  if (operands === undefined) return readOnly === true ? 'none' : 'mention'
  return typeof operands === 'string' ? operands : (operands[Math.min(index, operands.length - 1)] ?? 'none')
}

function applyOperand(call: Call, role: OperandRole, arg: Arg, at: number, state: State, mayWrite: boolean): void {
  switch (role) {
    case 'read':
      fileEffect(call, 'read', arg, state)
      return
    case 'write':
      call.unit.readOnly = false
      fileEffect(call, 'write', arg, state)
      return
    case 'move':
      call.unit.readOnly = false
      fileEffect(call, 'read', arg, state)
      fileEffect(call, 'write', arg, state)
      return
    case 'mention':
      mention(call, arg, state, mayWrite)
      return
    case 'url':
      fetch(call, arg, state)
      return
    case 'remote': {
      // `host:path` of scp and rsync, or a file of this machine.
      const [, host] = /^(?:rsync:\/\/)?([^/:]+):/.exec(arg.text) ?? []
      if (host === undefined) {
        fileEffect(call, at === call.args.length - 1 ? 'write' : 'read', arg, state)
        return
      }
      reach(call.shell, { target: host, span: call.span, unit: call.index })
      return
    }
    case 'code':
      call.unit.readOnly = false
      call.unknown('code', `\`${call.unit.program}\` runs code in another language`, at)
      return
    case 'sql':
      call.unit.readOnly = false
      query(call, arg, at)
      return
    case 'package':
      // An address, a repository or an archive; a name with a version is none of these.
      if (
        /^(?:git\+|https?:|git:|ssh:|file:|git@|github:|gitlab:|bitbucket:|gist:)|\s@\s|^\.{0,2}\/.*\.(?:rb|py|sh)$/i.test(
          arg.text,
        )
      )
        call.unknown('input', `\`${call.unit.program}\` runs code from \`${shown(arg)}\``, at)
      else mention(call, arg, state, true)
      return
    case 'script':
      if (/^(?!file:)[a-z]{2,}:/i.test(arg.text))
        call.unknown('input', `\`${call.unit.program}\` runs what it fetches from \`${shown(arg)}\``, at)
      if (arg.pipe) call.unknown('input', `\`${call.unit.program}\` runs what it is given by another command`)
      checkWritten(call, arg, state)
      fileEffect(call, 'read', arg, state)
      return
    default:
      return
  }
}

/** A URL, which may be one of a file. */
export function fetch(call: Call, arg: Arg, state: State): void {
  call.unit.readOnly = false
  const [, file] = /^file:(?:\/\/[^/]*)?(\/.*)$/i.exec(arg.text) ?? []
  if (file !== undefined) fileEffect(call, 'read', { ...arg, text: file }, state)
  else if (/^@/.test(arg.text)) mention(call, arg, state, false)
  else reach(call.shell, { target: arg.text, span: call.span, unit: call.index })
}

export function fileEffect(call: Call, kind: 'read' | 'write', arg: Arg, state: State, all = false): void {
  if (arg.text === '-') return
  const everywhere = call.row?.recursive === true || call.row?.recursive === 'sources'
  const recursive = all || isRecursive(call.row?.recursive, call.args)
  // Programs that go through folders read patterns themselves.
  const glob = arg.glob || (everywhere && /[*?[{]/.test(arg.text))
  const { index: unit, span, place } = call
  touch(call.shell, { kind, arg: { ...arg, glob }, state, unit, span, recursive, remote: place.remote })
  if (call.row?.recursive === 'sources') mention(call, arg, state, false)
}

function isRecursive(recursive: ProgramRow['recursive'], args: readonly Arg[]): boolean {
  if (typeof recursive !== 'object') return recursive === true
  return args.some(({ text }) =>
    recursive.some((option) =>
      option.startsWith('--')
        ? text.length > 2 && option.startsWith(text)
        : /^-[^-]/.test(text) && text.includes(option.slice(1)),
    ),
  )
}

/** What the operands run. */
function runInner(call: Call, { words, state, program }: Applied): void {
  const { row, innerAt, sub } = words
  const via = [program, ...sub].join(' ')
  if (innerAt === undefined) return
  call.unit.readOnly = false
  const args = call.args.slice(innerAt)
  const env = words.options.flatMap(({ role, value }) => (role === 'env' && value ? [value.text] : []))
  const assigned = env.map((text) => ({ name: text.split('=', 1)[0] ?? '', value: text.slice(text.indexOf('=') + 1) }))
  const remote = call.place.remote || row.remote === true
  if (row.runs === 'shell') {
    const [first] = args
    const span = first && { start: first.span.start, end: args.at(-1)?.span.end ?? first.span.end }
    call.shell.text(args.map(({ text }) => text).join(' '), state, {
      ...call.within(via),
      remote,
      span: span ?? call.span,
    })
    return
  }
  const more: Arg[] = row.appends
    ? [{ text: DYNAMIC, span: call.span, glob: false, split: true, open: true, pipe: false, quoted: false }]
    : []
  call.inner([...args, ...more], via, { state, remote, assigned: [...call.assigned, ...assigned] })
}

export function shown(arg: Arg | undefined): string {
  return (arg?.text ?? '').replaceAll(DYNAMIC, '…').slice(0, 60)
}
