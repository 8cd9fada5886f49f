import type { Call } from './call.js'
import { absolutePath, isBelow } from './paths.js'
import type { State } from './state.js'
import type { Arg } from './word.js'

/** What a compiler has made is no surprise; what these put into a file can be anything. */
const WRITERS: ReadonlySet<string> = new Set(
  'cat echo printf tee curl wget dd cp mv install base64 sed awk tar unzip scp rsync git patch'.split(' '),
)

/** Reports that a file is run which the line itself has written: its text is not the one that anybody has seen. */
export function checkWritten(call: Call, arg: Arg, state: State): void {
  const { effects, units } = call.shell.report
  if (effects.length === 0 || call.place.remote) return
  const paths = (state.cwd ?? []).map((cwd) => absolutePath(arg.text, cwd, call.shell.context.home))
  const written = effects.some(({ kind, path, recursive, unit }) => {
    if (kind !== 'write' || path === undefined || unit === call.index) return false
    if (unit !== undefined && !WRITERS.has(units[unit]?.program ?? '')) return false
    return paths.some((each) => each === path || (recursive && each !== undefined && isBelow(each, path)))
  })
  if (written) call.unknown('input', `\`${arg.text}\` was written by the line itself, and is run`)
}
