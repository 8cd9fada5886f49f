import { type Applied, fileEffect } from './apply.js'
import type { Call } from './call.js'
import { checkRemoval } from './critical.js'
import { touch } from './effects.js'
import { withUnseen } from './special.js'
import { type Outcome, same, withCwd } from './state.js'
import { plainArg } from './word.js'

const RUNS = /^-(?:exec|execdir|ok|okdir)$/
const WRITES = /^-f(?:print0?|ls|printf)$/
/** Tests and actions that take a word, apart from those above. */
const TAKES =
  /^-(?:name|iname|path|ipath|wholename|iwholename|regex|iregex|regextype|lname|ilname|type|xtype|size|perm|user|group|uid|gid|newer\w*|anewer|cnewer|samefile|mtime|atime|ctime|mmin|amin|cmin|maxdepth|mindepth|links|inum|fstype|printf|used|context|files0-from|D)$/
const REMOVERS: ReadonlySet<string> = new Set(['rm', 'rmdir', 'unlink', 'shred', 'mv'])

/** `find`: places, then an expression in which commands may stand. */
export function runFind(call: Call, { state }: Applied): Outcome {
  const { args } = call
  const starts = args.slice(1, expressionAt(call))
  const places = starts.filter(({ text }) => !/^-[HLPO]/.test(text))
  for (const arg of places) {
    // What it finds are names; what it does with them is told apart.
    touch(call.shell, { kind: 'read', arg, state, unit: call.index, span: call.span, remote: call.place.remote })
    if (arg.open || arg.split || arg.glob) openWord(call)
  }
  let filters = 0
  for (let at = 1 + starts.length; at < args.length; at++) {
    const arg = args[at]
    const { text } = arg ?? { text: '' }
    if (RUNS.test(text)) at = runEach(call, at, state, places, filters > 0)
    else if (text === '-delete') remove(call, state, places, filters > 0)
    else if (WRITES.test(text)) {
      call.unit.readOnly = false
      const file = args[++at]
      if (file) fileEffect(call, 'write', file, state)
      if (text === '-fprintf') at++
    } else if (TAKES.test(text)) {
      if (args[at + 1]?.split) openWord(call)
      if (text === '-files0-from' && args[at + 1]) call.unknown('input', '`find` reads where it begins from a file')
      if (!/^-(?:mindepth|maxdepth|regextype|D)$/.test(text)) filters++
      at++
    } else if (arg && (arg.open || arg.split || arg.glob)) openWord(call)
  }
  return same(call.state)
}

function openWord(call: Call): void {
  call.unit.readOnly = false
  call.unknown('argument', 'A word may become an action of `find` that runs or removes something')
}

function expressionAt({ args }: Call): number {
  const at = args.findIndex(({ text }, index) => index > 0 && /^(?:-(?![HLPO])|[(!,)])/.test(text))
  return at === -1 ? args.length : at
}

/** @returns where the command ends */
function runEach(
  call: Call,
  at: number,
  state: Call['state'],
  places: readonly Call['args'][number][],
  filtered: boolean,
): number {
  const { args } = call
  call.unit.readOnly = false
  let end = at + 1
  while (end < args.length && args[end]?.text !== ';' && !(args[end]?.text === '+' && args[end - 1]?.text === '{}'))
    end++
  if (end >= args.length) call.unknown('syntax', `\`${args[at]?.text}\` has no end`)
  const inner = args.slice(at + 1, end).map((arg) => withUnseen(arg, '{}', true))
  const where = /dir$/.test(args[at]?.text ?? '') ? withCwd(state, undefined) : state
  const [first] = inner
  if (first) call.inner(inner, `find ${args[at]?.text}`, { state: where })
  const base = first?.text.slice(first.text.lastIndexOf('/') + 1) ?? ''
  if (REMOVERS.has(base)) remove(call, state, places, filtered)
  return end
}

function remove(call: Call, state: Call['state'], places: readonly Call['args'][number][], filtered: boolean): void {
  call.unit.readOnly = false
  const all = places.length > 0 ? places : [plainArg('.', call.span)]
  call.unit.suspects = [['rm', '-rf', ...all.map(({ text }) => text)]]
  for (const arg of all) {
    touch(call.shell, {
      kind: 'write',
      arg,
      state,
      unit: call.index,
      span: call.span,
      recursive: true,
      remote: call.place.remote,
    })
    // Some files below the workspace are removed every day; all of them, or some of all that there are, never.
    if (!filtered || !isInside(call, arg.text)) checkRemoval(call, arg, state, 'find')
  }
}

function isInside({ shell, state }: Call, text: string): boolean {
  return (
    !text.startsWith('/') && !text.startsWith('..') && !text.startsWith(shell.context.home) && state.cwd !== undefined
  )
}
