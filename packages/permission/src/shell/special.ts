import { type Applied, applyOperands, fileEffect } from './apply.js'
import type { Call } from './call.js'
import { codeOf } from './code.js'
import { reach, touch } from './effects.js'
import { runFind } from './find.js'
import { runGit } from './git.js'
import { mention } from './mention.js'
import { applyOption } from './options.js'
import { absolutePath } from './paths.js'
import { findProgram } from './programs/lookup.js'
import { readWords } from './programs/read.js'
import type { Special } from './programs/types.js'
import { runShell } from './shells.js'
import { type Outcome, same } from './state.js'
import { DYNAMIC } from './types.js'
import { type Arg, plainArg } from './word.js'

/** What the table can't say. `undefined`: the rest is as the table says. */
export function applySpecial(call: Call, special: Special, applied: Applied): Outcome | undefined {
  switch (special) {
    case 'shell':
      return runShell(call, applied.program)
    case 'find':
      return runFind(call, applied)
    case 'git':
      return runGit(call, applied)
    case 'xargs':
      return runForEach(call, applied)
    case 'tar':
      return runTar(call, applied)
    case 'dd':
      for (const { arg } of applied.words.operands) {
        const [, name, file] = /^(if|of)=([\s\S]+)$/.exec(arg.text) ?? []
        if (file !== undefined)
          fileEffect(call, name === 'of' ? 'write' : 'read', { ...arg, text: file }, applied.state)
      }
      return same(call.state)
    case 'download':
      download(call, applied)
      return undefined
    case 'filter':
      for (const { name, valueAt } of applied.words.options) {
        const file = name === '--slurpfile' ? call.args[(valueAt ?? 0) + 1] : undefined
        if (file) fileEffect(call, 'read', file, applied.state)
      }
      // Programs of these languages can load files, which they name in quotes.
      for (const { arg } of applied.words.operands) {
        for (const [, text = ''] of arg.text.matchAll(/"([^"]*)"/g))
          mention(call, { ...arg, text }, applied.state, false)
      }
      return undefined
    case 'ssh': {
      const [host] = applied.words.operands
      if (host) reach(call.shell, { target: host.arg.text, span: call.span, unit: call.index })
      return undefined
    }
    case 'link':
      return makeLink(call, applied)
    case 'sed':
    case 'awk':
      codeOf(call, special, applied)
      return undefined
    case 'language':
      return runLanguage(call, applied)
    default:
      return undefined
  }
}

/** What is fetched lands in a file that is named like the end of the URL. */
function download(call: Call, { words, state }: Applied): void {
  for (const { name, value } of words.options) {
    const [, path] = (name === '-w' && /%output\{([^}]*)\}/.exec(value?.text ?? '')) || []
    if (value && path !== undefined) fileEffect(call, 'write', { ...value, text: path }, state)
  }
  const named = words.options.some(
    ({ name }) => /^-(?:O|o|-spider|-output-document)$/.test(name) && call.unit.program === 'wget',
  )
  if (
    named ||
    (call.unit.program === 'curl' && !words.options.some(({ name }) => name === '-O' || name === '--remote-name-all'))
  )
    return
  for (const { arg } of words.operands) {
    const [, base = ''] = /([^/?#]*)(?:[?#].*)?$/.exec(arg.text.replace(/^\w+:\/\/[^/]*/, '')) ?? []
    fileEffect(call, 'write', { ...arg, text: base === '' ? 'index.html' : base }, state)
  }
}

/** An interpreter without a file in its words reads its program from its input. */
function runLanguage(call: Call, applied: Applied): undefined {
  const { words, program } = applied
  if (program === 'python') applyModule(call, applied)
  const named =
    words.operands.some(({ arg }) => arg.text !== '-') ||
    words.options.some(({ role }) => role === 'code' || role === 'module')
  const onlyAsks = call.args.length === 2 && /^-(?:-version|-help|v|V|h)$/.test(call.args[1]?.text ?? '')
  if (named || onlyAsks) return
  if (call.place.input) call.unknown('input', `\`${program}\` runs what it reads from ${call.place.input.from}`)
  return
}

/** `python -m pytest` takes the words that `pytest` takes. */
function applyModule(call: Call, { words, state }: Applied): void {
  const { value, valueAt } = words.options.find(({ role }) => role === 'module') ?? {}
  const found = value && findProgram(value.text, call.shell.programs, call.shell.foldCase)
  if (!found || valueAt === undefined) return
  const read = readWords(found.row, call.args.slice(valueAt))
  const options = read.options.map((option) => ({
    ...option,
    at: option.at + valueAt,
    ...(option.valueAt === undefined ? {} : { valueAt: option.valueAt + valueAt }),
  }))
  const operands = read.operands.map(({ arg, at }) => ({ arg, at: at + valueAt }))
  const applied = { program: found.name, words: { ...read, options, operands }, state }
  for (const option of options) applyOption(call, option, applied)
  applyOperands(call, applied)
}

/** `xargs` and `parallel`: the command gets words that can't be seen, behind it or in the place of a mark. */
function runForEach(call: Call, { words, program, state }: Applied): Outcome {
  const { innerAt, options } = words
  const isParallel = program === 'parallel'
  const replaced = options.find(({ name }) => name === '-I' || name === '-i')
  const mark = replaced?.value?.text ?? (replaced || isParallel ? '{}' : undefined)
  call.unit.transparent = !isParallel && options.every(({ name }) => name === '-0' || name === '-r')
  if (innerAt === undefined) {
    call.unknown('input', `\`${program}\` runs what it reads`)
    return same(call.state)
  }
  const rest = call.args.slice(innerAt)
  const listAt = isParallel ? rest.findIndex(({ text }) => /^:::/.test(text)) : -1
  const given = listAt === -1 ? rest : rest.slice(0, listAt)
  const marked = mark !== undefined && given.some(({ text }) => text.includes(mark))
  const args = given.map((arg): Arg => (mark === undefined ? arg : withUnseen(arg, mark)))
  const more = { ...plainArg(DYNAMIC, call.span), split: true, open: true }
  const [first] = args
  if (isParallel && first && args.length === 1 && /\s/.test(first.text)) {
    call.shell.text(marked ? first.text : `${first.text} ${DYNAMIC}`, state, {
      ...call.within(program),
      span: first.span,
    })
  } else call.inner(marked ? args : [...args, more], program, { state })
  return same(call.state)
}

/** The word with something unseen in the place of a mark. */
export function withUnseen(arg: Arg, mark: string, isPath = false): Arg {
  if (mark === '' || !arg.text.includes(mark)) return arg
  const text = arg.text.replaceAll(mark, DYNAMIC)
  return { ...arg, text, open: !isPath && text.startsWith(DYNAMIC) }
}

/** `tar xf` is `tar -xf`. */
function runTar(call: Call, applied: Applied): Outcome {
  const [name, first, ...rest] = call.args
  let { words } = applied
  if (name && first && !first.text.startsWith('-')) {
    words = readWords(words.row, [name, { ...first, text: `-${first.text}` }, ...rest])
  }
  const mode = words.options.map((option) => option.name).find((each) => /^-[cxtrudA]$/.test(each))
  const reads = mode === '-t' || mode === '-d'
  call.unit.readOnly = reads && call.unit.readOnly
  for (const { name: option, value } of words.options) {
    if (option !== '-f' || !value) continue
    if (/^[^/]+:/.test(value.text)) call.unknown('option', '`tar` reaches another machine by a program of its own')
    else fileEffect(call, reads || mode === '-x' ? 'read' : 'write', value, call.state)
  }
  for (const { arg } of words.operands) {
    if (mode === '-x' || reads) continue
    fileEffect(call, 'read', arg, applied.state)
  }
  if (mode === '-x') {
    touch(call.shell, {
      kind: 'write',
      arg: plainArg('.', call.span),
      state: applied.state,
      unit: call.index,
      span: call.span,
      recursive: true,
      remote: call.place.remote,
    })
  }
  return same(call.state)
}

function makeLink(call: Call, applied: Applied): Outcome {
  const { operands, options } = applied.words
  applyOperands(call, applied)
  const into = options.find(({ role }) => role === 'into')?.value
  const targets = into || operands.length === 1 ? operands : operands.slice(0, -1)
  const place = into ?? (operands.length > 1 ? operands.at(-1)?.arg : undefined)
  const { shell, state } = call
  const { home } = shell.context
  const symbolic = options.some(({ name }) => name === '-s')
  const links = targets.flatMap(({ arg }) =>
    (state.cwd ?? []).flatMap((cwd) => {
      const base = arg.text.slice(arg.text.lastIndexOf('/') + 1)
      const path = absolutePath(place?.text ?? base, cwd, home)
      const within = path === undefined ? undefined : `${path}/${base}`
      // A symbolic link counts from the folder that it lies in.
      const from = symbolic && path !== undefined && place ? path.slice(0, path.lastIndexOf('/')) || '/' : cwd
      const target = absolutePath(arg.text, from, home)
      if (path === undefined || within === undefined || target === undefined) return []
      return [
        { path, target },
        { path: within, target },
      ]
    }),
  )
  for (const { arg } of targets) {
    touch(shell, { kind: 'mention', arg, state, unit: call.index, span: call.span, remote: call.place.remote })
  }
  const dynamic = operands.some(({ arg }) => arg.text.includes(DYNAMIC)) || state.cwd === undefined
  if (dynamic) call.unknown('target', 'A link is made, and it is not known where it leads')
  return same({ ...state, links: [...state.links, ...links].slice(0, 100) })
}
