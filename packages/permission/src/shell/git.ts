import { type Applied, checkFolder, fileEffect } from './apply.js'
import type { Call } from './call.js'
import { type Outcome, same } from './state.js'

/** Settings that are about looks and names. Values of all others may be commands, or change where code comes from. */
const QUIET_SETTINGS =
  /^(?:user\.(?:name|email)|color\..*|column\..*|advice\..*|core\.(?:quotepath|autocrlf|eol|safecrlf|abbrev|ignorecase|precomposeunicode|filemode|longpaths|whitespace|commentchar)|init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote)|fetch\.prune|rebase\.autostash|rerere\.enabled|log\.(?:date|decorate|showsignature|abbrevcommit|follow)|diff\.(?:renames|renamelimit|noprefix|algorithm|colormoved|context|mnemonicprefix)|merge\.(?:ff|conflictstyle|renames)|status\.\w+|commit\.(?:verbose|status)|blame\.\w+|grep\.(?:linenumber|extendedregexp)|format\.pretty|gc\.auto|protocol\.version|advice|versionsort\.suffix|branch\.sort|tag\.sort)$/

/** `git`: settings on the command line, aliases, transports, and commands that run commands. */
export function runGit(call: Call, applied: Applied): Outcome | undefined {
  const { words, state } = applied
  const { options, sub, operands } = words
  for (const { name, role, value, valueAt, at } of options) {
    if (role === 'config' && value) setting(call, name, value, valueAt ?? at, applied)
  }
  const [command] = sub
  if (command === undefined) return undefined
  checkFolder(call, state, words)
  if (!words.isListed)
    call.unknown('program', `\`git ${command}\` is an alias or a program of its own`, words.bodyAt - 1)
  if (command === 'config') changeConfig(call, applied)
  for (const { arg } of operands) {
    if (/^(?:ext|fd)::/.test(arg.text)) call.unknown('code', 'A remote of this kind is a command')
    if (arg.text.startsWith('file://') || !/^[\w.+-]+@[\w.-]+:|^\w+:\/\//.test(arg.text)) continue
    const host = /^[\w.+-]+@([\w.-]+):/.exec(arg.text)?.[1] ?? arg.text
    call.shell.report.effect({ ...net(call, host) })
  }
  if (command === 'bisect' && operands[0]?.arg.text === 'run') {
    call.inner(call.args.slice((operands[0]?.at ?? 0) + 1), 'git bisect run', { state })
    return same(call.state)
  }
  if (command === 'submodule' && operands[0]?.arg.text === 'foreach') {
    const [, first] = operands
    const body = first
      ? call.args
          .slice(first.at)
          .map(({ text }) => text)
          .join(' ')
      : ''
    call.shell.text(
      body,
      { ...state, cwd: undefined },
      { ...call.within('git submodule foreach'), span: first?.arg.span ?? call.span },
    )
    return same(call.state)
  }
  if (command === 'diff' && options.some(({ name }) => name === '--no-index')) {
    for (const { arg } of operands) fileEffect(call, 'read', arg, state)
    return same(call.state)
  }
  if (command === 'checkout' || command === 'restore') {
    const dashes = call.args.findIndex(({ text }) => text === '--')
    for (const { arg, at } of operands)
      if (command === 'restore' || (dashes !== -1 && at > dashes)) fileEffect(call, 'write', arg, state)
    return undefined
  }
  return undefined
}

function net(call: Call, host: string) {
  const [, name] = /^(?:\w+:\/\/)?(?:[^/@]*@)?([^/:]+)/.exec(host) ?? []
  return {
    kind: 'net' as const,
    pattern: false,
    recursive: false,
    certain: name !== undefined,
    span: call.span,
    ...(name === undefined ? {} : { host: name.toLowerCase() }),
    ...(call.index === undefined ? {} : { unit: call.index }),
  }
}

function setting(
  call: Call,
  option: string,
  value: { readonly text: string; readonly span: Call['span'] },
  at: number,
  applied: Applied,
): void {
  const equals = value.text.indexOf('=')
  const key = (equals === -1 ? value.text : value.text.slice(0, equals)).toLowerCase()
  const text = equals === -1 ? '' : value.text.slice(equals + 1)
  if (QUIET_SETTINGS.test(key)) return
  call.unit.readOnly = false
  call.unknown('option', `\`${option} ${key}\` can change what \`git\` runs`, at)
  if (key.startsWith('alias.')) {
    const place = { ...call.within('git alias'), span: value.span }
    if (text.startsWith('!')) call.shell.text(text.slice(1), applied.state, place)
    else call.shell.text(`git ${text}`, applied.state, place)
  } else if (
    /(?:pager|editor|command|cmd|program|helper|textconv|driver|hookspath|fsmonitor|askpass|external|clean|smudge|process|proxy)$/.test(
      key,
    )
  ) {
    call.shell.text(text, applied.state, { ...call.within(`git ${option}`), span: value.span })
  }
}

/** `git config key value` writes a setting that later commands obey. */
function changeConfig(call: Call, { words }: Applied): void {
  const asks = words.options.some(({ name }) => /^--(?:get.*|list|show-\w+)$|^-l$/.test(name))
  const names = words.operands.map(({ arg }) => arg.text).filter((text) => !/^(?:set|get|list|unset|edit)$/.test(text))
  const [key = '', value] = names
  const reads =
    asks || (value === undefined && !words.operands.some(({ arg }) => /^(?:set|unset|edit)$/.test(arg.text)))
  if (reads && !words.options.some(({ name }) => name === '--edit' || name === '-e')) return
  call.unit.readOnly = false
  if (!QUIET_SETTINGS.test(key.toLowerCase())) {
    call.unknown('option', `The setting \`${key}\` can change what \`git\` runs later`, call.args.length - 1)
  }
}
