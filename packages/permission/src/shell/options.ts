import { type Applied, fetch, fileEffect, shown } from './apply.js'
import type { Call } from './call.js'
import { leavesDatabase } from './code.js'
import { executes, isHarmless } from './environment.js'
import { isOutside, mention } from './mention.js'
import type { OptionRead } from './programs/read.js'
import { splitWords } from './split.js'
import { DYNAMIC } from './types.js'
import type { Arg } from './word.js'

/** Does what the table says about an option. */
export function applyOption(
  call: Call,
  { name, role, value, valueAt, at }: OptionRead,
  { state, words }: Applied,
): void {
  const spelled = valueAt ?? at
  const file = (kind: 'read' | 'write', arg: Arg) => fileEffect(call, kind, arg, state)
  switch (role) {
    case 'changes':
      call.unit.readOnly = false
      return
    case 'saves':
      call.unit.readOnly = false
      if (value) file('write', value)
      return
    case 'cookies':
      if (value && !value.text.includes('=')) file('read', value)
      return
    case 'read':
    case 'lead-read':
      if (value) file('read', value)
      if (value && /^[a-z]{2,}:/i.test(value.text)) mention(call, value, state, false)
      return
    case 'recipe':
      if (!value || value.text === '-') return
      if (/^[a-z]{2,}:\/\//i.test(value.text)) {
        call.unknown('input', `\`${call.unit.program}\` runs what it fetches from \`${shown(value)}\``, spelled)
        return
      }
      file('read', value)
      if (isOutside(call, value.text, state))
        call.unknown('folder', `\`${shown(value)}\` lies outside of the workspace, and decides what runs`, spelled)
      return
    case 'lead-code':
      if (value) file('read', value)
      call.unknown('code', `\`${name}\` runs a program from a file`, spelled)
      return
    case 'write':
    case 'into':
      call.unit.readOnly = false
      if (value) file('write', value)
      return
    case 'rewrites':
      call.unit.readOnly = false
      // `-i.bak` keeps the old text; with a folder in it, it is kept somewhere else.
      if (value?.text.includes('/')) call.unknown('target', `\`${name}\` writes to a place of its own`, spelled)
      return
    case 'url':
      if (value) fetch(call, value, state)
      return
    case 'upload': {
      const file = /(?:^|=|^\w+)[@<]([^;]+)/.exec(value?.text ?? '')?.[1]
      if (value && file !== undefined) fileEffect(call, 'read', { ...value, text: file }, state)
      return
    }
    case 'exec':
      call.unit.readOnly = false
      if (value)
        call.shell.text(value.text, state, { ...call.within(`${call.unit.program} ${name}`), span: value.span })
      return
    case 'run': {
      call.unit.readOnly = false
      if (!value) return
      const rest = words.innerAt === undefined ? words.operands.map(({ arg }) => arg) : call.args.slice(words.innerAt)
      call.inner([...splitWords(value), ...(words.row.runs ? rest : [])], `${call.unit.program} ${name}`, { state })
      return
    }
    case 'code':
      call.unit.readOnly = false
      call.unknown('code', `\`${name}\` runs code in another language`, spelled)
      return
    case 'sql':
      call.unit.readOnly = false
      if (value) query(call, value, spelled)
      return
    case 'plugin':
      if (!value || !/[./\\]/.test(value.text)) return
      call.unknown('option', `\`${name}\` lets \`${call.unit.program}\` load \`${shown(value)}\``, spelled)
      return
    case 'opaque':
    case 'opaque-flag':
      call.unit.readOnly = false
      call.unknown('option', `\`${name}\` lets \`${call.unit.program}\` run or load something else`, spelled)
      return
    case 'env': {
      const variable = /^([^=]*)/.exec(value?.text ?? '')?.[1] ?? ''
      // With a command behind it, that command reports it.
      const matters = words.row.runs === 'unseen' ? executes(variable) : !isHarmless(variable)
      if (words.innerAt === undefined && matters)
        call.unknown('environment', `\`${variable}\` in the environment can change what runs`)
      return
    }
    case undefined:
      // What an option that is not in the table does with a path is anybody's guess.
      if (value && name.length > 2) mention(call, value, state, true)
      return
    case 'value':
    case 'optional':
      if (value && words.row.readOnly !== true) mention(call, value, state, true)
      return
    default:
      return
  }
}

export function query(call: Call, arg: Arg, at: number): void {
  if (arg.text.includes(DYNAMIC) || leavesDatabase(arg.text))
    call.unknown('code', `What \`${call.unit.program}\` is told to do can leave the database`, at)
}
