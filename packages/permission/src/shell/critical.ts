import type { Call } from './call.js'
import { linkTargets } from './effects.js'
import { absolutePath, isBelow } from './paths.js'
import type { State } from './state.js'
import { DYNAMIC, type Effect } from './types.js'
import type { Arg } from './word.js'

/** Reports the removal of something that nobody means to remove. */
export function checkRemoval(call: Call, arg: Arg, state: State, program: string): void {
  const what = whyCritical(call, arg, state)
  if (what === undefined) return
  const { shell, span, index } = call
  shell.report.criticalOperation({
    what: `\`${program}\` removes ${what}`,
    span,
    ...(index === undefined ? {} : { unit: index }),
  })
}

/** Folders below `/` that an empty variable in front of them would leave. */
const TOP =
  /^\/(?:bin|boot|dev|etc|home|lib\d*|media|mnt|opt|proc|root|run|sbin|srv|sys|tmp|usr|var|Users|Applications|System|Library|Volumes)(?:\/|$)/

function whyCritical({ shell, place }: Call, arg: Arg, state: State): string | undefined {
  const { text } = arg
  if (text.startsWith(DYNAMIC)) {
    const rest = text.slice(text.lastIndexOf(DYNAMIC) + 1)
    return /^\/(?:[*.]|$)/.test(rest) || TOP.test(rest) ? '`/`, if the variable in front is empty' : undefined
  }
  if (text.includes(DYNAMIC)) return undefined
  // A last name that stands for everything, hidden files or not.
  const bare = arg.glob ? text.replace(/(?:^|(?<=\/))(?:[.]?[*?]+|\.?\[[^\]]*\]\*|\*{2}\/\*)$/, '') : text
  const target = bare === '' ? '.' : bare
  const { home } = shell.context
  for (const cwd of state.cwd ?? [undefined]) {
    const path = absolutePath(target, cwd, home)
    if (path === undefined) continue
    for (const each of [path, ...linkTargets(path, state, false)]) {
      const found = whyPathCritical(each, home, place.remote ? [] : shell.roots, place.remote)
      if (found !== undefined) return found
    }
  }
  return undefined
}

function whyPathCritical(path: string, home: string, roots: readonly string[], remote: boolean): string | undefined {
  if (path === '/') return '`/`'
  const names = path.split('/').filter(Boolean)
  if (names.length === 2 && /^(?:mnt|cygdrive|Volumes)$/.test(names[0] ?? '')) return `the drive \`${path}\``
  if (remote) return undefined
  if (path === home) return 'the home folder'
  if (isBelow(home, path)) return `\`${path}\`, which holds the home folder`
  const root = roots.find((each) => isBelow(each, path))
  if (root !== undefined) return path === root ? `the workspace \`${root}\`` : `\`${path}\`, which holds the workspace`
  return names.length === 1 ? `\`${path}\`, which stands directly below \`/\`` : undefined
}

const DISK =
  /^\/dev\/(?:[shv]d[a-z]|xvd[a-z]|nvme\d|mmcblk\d|r?disk\d|disk\/|mapper\/|md\d|dm-\d|loop\d|zd\d|sr\d|fd\d|mem$|kmem$|port$)/

/** Whether something is written to a disk past its file system. */
export function isDisk({ kind, path }: Effect): boolean {
  return kind === 'write' && path !== undefined && DISK.test(path)
}
