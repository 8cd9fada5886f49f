import { fileEffect } from './apply.js'
import type { Call } from './call.js'
import { type Outcome, type State, same, withVariable } from './state.js'
import { DYNAMIC } from './types.js'
import type { Arg } from './word.js'
import { checkWritten } from './written.js'

/** `sh`, `bash` and their like: a script in the words, in a file, or in the input. */
export function runShell(call: Call, program: string): Outcome {
  const { args, shell, state } = call
  const { script, scriptAt, operands, stdin } = shellWords(args)
  const start = args.findIndex(({ text }) => /^--(?:rcfile|init-file)/.test(text))
  if (start !== -1) call.unknown('option', `\`${program}\` runs another file before it begins`, start + 1)
  if (script) {
    call.unit.transparent = true
    const inner = withParameters(state, operands)
    shell.text(script.text, inner, {
      ...call.within(`${program} ${args[scriptAt - 1]?.text ?? '-c'}`),
      span: script.span,
    })
    return same(state)
  }
  const [file] = operands
  if (file && !stdin && file.text !== '-') {
    if (file.pipe || /^\/dev\/(?:stdin|fd\/)/.test(file.text))
      call.unknown('input', `\`${program}\` runs what it is given by another command`)
    else {
      checkWritten(call, file, state)
      fileEffect(call, 'read', file, state)
    }
    return same(state)
  }
  return runInput(call, program)
}

/** What a shell reads from its input is a script. */
function runInput(call: Call, program: string): Outcome {
  const { place, shell, state } = call
  const { input } = place
  if (!input) return same(state)
  if (input.text !== undefined) {
    shell.text(input.text, state, { ...call.within(`${program} <`), span: call.span, input: undefined })
    call.unit.transparent = true
    return same(state)
  }
  call.unknown('input', `\`${program}\` runs what it reads from ${input.from}`)
  return same(state)
}

interface ShellWords {
  readonly script?: Arg
  readonly scriptAt: number
  /** The script file with its arguments, or the arguments of the script in the words. */
  readonly operands: readonly Arg[]
  readonly stdin: boolean
}

function shellWords(args: readonly Arg[]): ShellWords {
  let isScript = false
  let stdin = false
  let at = 1
  for (; at < args.length; at++) {
    const text = args[at]?.text ?? ''
    if (text === '--' || text === '-') {
      at++
      break
    }
    if (!/^[-+]./.test(text)) break
    if (text.startsWith('--')) {
      if (/^--(?:rcfile|init-file)$/.test(text)) at++
      if (text === '--command') isScript = true
      continue
    }
    if (text.startsWith('-') && text.includes('c')) isScript = true
    if (text.startsWith('-') && text.includes('s')) stdin = true
    // `-o option`, also at the end of a cluster.
    if (/[oO]$/.test(text)) at++
  }
  const script = isScript ? args[at] : undefined
  return { ...(script ? { script } : {}), scriptAt: at, operands: args.slice(script ? at + 1 : at), stdin }
}

/** What a pattern becomes is not known, but for how it begins. */
function parameter({ text, glob }: Arg): string {
  return glob ? text.replace(/[*?[].*$/s, DYNAMIC) : text
}

/** `sh -c script name one two`: the words behind the script are its `$0`, `$1`, `$2`. */
function withParameters(state: State, operands: readonly Arg[]): State {
  let next = state
  const [, ...given] = operands
  operands.forEach((arg, index) => {
    next = withVariable(next, String(index), { values: [parameter(arg)], exported: false })
  })
  const list = given.map(parameter)
  for (const name of ['@', '*']) next = withVariable(next, name, { values: [list.join(' ')], list, exported: false })
  return next
}
