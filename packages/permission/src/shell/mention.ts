import type { Call } from './call.js'
import { touch } from './effects.js'
import { absolutePath, isBelow } from './paths.js'
import type { State } from './state.js'
import type { Arg } from './word.js'

/**
 * A word that may name a file, to a program of which it is not known what it does with it.
 * @param mayWrite what lies outside of the workspace counts as written
 */
export function mention(call: Call, arg: Arg, state: State, mayWrite: boolean): void {
  const { shell, index, span, place } = call
  if (place.remote || !shell.report.mention()) return
  for (const text of pathsIn(arg.text)) {
    const one = { arg: { ...arg, text }, state, unit: index, span, recursive: true }
    touch(shell, { ...one, kind: 'mention' })
    if (mayWrite && /^[./~]|\/\.\.(?:\/|$)/.test(text) && isOutside(call, text, state))
      touch(shell, { ...one, kind: 'write', doubtful: true })
  }
}

export function isOutside({ shell }: Call, text: string, { cwd }: State): boolean {
  const paths = (cwd ?? [undefined]).map((folder) => absolutePath(text, folder, shell.context.home))
  return !paths.every(
    (path) => path !== undefined && (SERIAL.test(path) || shell.roots.some((root) => isBelow(path, root))),
  )
}

/** Serial ports, to which boards are connected. */
const SERIAL = /^\/dev\/(?:tty(?:USB|ACM)\d+|cu\.[\w-]+)$/

/** The word itself, and what stands behind `=`, `:`, `@`, a comma or the letter of an option in it. */
function pathsIn(word: string): readonly string[] {
  const paths = word.startsWith('-') ? [] : [word]
  for (const mark of ['=', ':', '@', '<']) {
    const at = word.indexOf(mark)
    if (at !== -1) paths.push(word.slice(at + 1))
  }
  if (/^-[^-]./.test(word)) paths.push(word.slice(2))
  const last = word.lastIndexOf('=')
  if (last !== word.indexOf('=')) paths.push(word.slice(last + 1))
  const [, file] = /(?:^|[=@])(?:file|fileb):(?:\/\/(?:localhost(?=\/))?)?(.+)$/i.exec(word) ?? []
  if (file !== undefined) paths.push(file)
  return paths
    .map((text) => text.replace(/^[@<]/, ''))
    .filter((text) => text !== '' && !/[\s\uFFFC]/.test(text) && !text.startsWith('//'))
}
