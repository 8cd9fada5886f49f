import { absolutePath, hostOf, isBelow, isFree, unresolvedPath } from './paths.js'
import type { Shell } from './shell.js'
import type { State } from './state.js'
import { DYNAMIC, type Effect, type Span } from './types.js'
import type { Arg } from './word.js'

export interface Touch {
  readonly kind: 'read' | 'write' | 'mention'
  readonly arg: Arg
  readonly state: State
  readonly unit?: number | undefined
  readonly span: Span
  readonly recursive?: boolean
  readonly remote?: boolean
  /** It may happen or not. */
  readonly doubtful?: boolean
}

/** Reports what happens to the file that a word names, under each name that the file may have. */
export function touch(
  shell: Shell,
  { kind, arg, state, unit, span, recursive = false, remote = false, doubtful = false }: Touch,
): void {
  const { text } = arg
  if (remote || arg.pipe || text === '' || isFree(text)) return
  const network = /^\/dev\/(?:tcp|udp)\/([^/]*)/.exec(text)
  if (network) {
    reach(shell, { target: network[1] ?? '', span, unit })
    const message = 'The shell itself connects to another machine.'
    shell.report.unknown({ code: 'target', message, span, ...(unit === undefined ? {} : { unit }) })
    return
  }
  const base = { kind, recursive, span, ...(unit === undefined ? {} : { unit }) }
  const folders = state.cwd ?? [undefined]
  const { cwd: start, home } = shell.context
  const places = new Map<string, string>()
  for (const cwd of text.includes('..') ? (state.cwd ?? []) : []) {
    const unresolved = unresolvedPath(text, cwd, home, start)
    const path = unresolved && absolutePath(text, cwd, home)
    if (unresolved && path) places.set(path, unresolved)
  }
  const paths = text.includes(DYNAMIC) ? [undefined] : folders.map((cwd) => absolutePath(text, cwd, shell.context.home))
  for (const path of new Set(paths)) {
    if (path === undefined) {
      shell.report.effect({ ...base, pattern: arg.glob, certain: false })
      continue
    }
    if (isFree(path)) continue
    const certain = paths.length === 1 && kind !== 'mention' && !doubtful
    const unresolved = places.get(path)
    const there = { ...base, path, pattern: arg.glob, certain }
    shell.report.effect(unresolved === undefined ? there : { ...there, unresolved })
    // A pattern above the last name can lead to anything below what stands in front of it.
    const front = arg.glob ? /^(.*?)\/[^/]*[*?[{][^/]*\/./.exec(path)?.[1] : undefined
    if (front !== undefined)
      shell.report.effect({ ...base, path: front || '/', pattern: false, recursive: true, certain: false })
    for (const target of linkTargets(path, state))
      shell.report.effect({ ...base, path: target, pattern: arg.glob, certain })
  }
}

/** Where the links that the line itself has made lead to. */
export function linkTargets(path: string, { links }: State, itself = true): readonly string[] {
  return links
    .filter((link) => isBelow(path, link.path) && (itself || path !== link.path))
    .map(({ path: from, target }) => (target === '/' ? '' : target) + path.slice(from.length) || '/')
}

/** Reports that something is fetched or sent. */
export function reach(
  shell: Shell,
  { target, span, unit }: { readonly target: string; readonly span: Span; readonly unit?: number | undefined },
): void {
  const host = target.includes(DYNAMIC) ? undefined : hostOf(target)
  const effect: Effect = {
    kind: 'net',
    pattern: false,
    recursive: false,
    certain: host !== undefined,
    span,
    ...(host === undefined ? {} : { host }),
    ...(/^[a-z][a-z0-9+.-]*:\/\//i.test(target) && !target.includes(DYNAMIC) ? { url: target } : {}),
    ...(unit === undefined ? {} : { unit }),
  }
  shell.report.effect(effect)
}
