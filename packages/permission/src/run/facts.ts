import type { FilesPort } from '@ext/kernel'
import { literalFolder } from '../decide/effects.js'
import type { NamedPath } from '../rule/path.js'
import type { CallReading, Links } from '../rule/reading.js'

/**
 * Where the paths of a call really lead, as far as that is elsewhere. For a file that does not exist yet its deepest
 * existing folder decides, for a glob the folder in which its first wildcard stands.
 * @param roots what rules speak of as it is called; a root may be a link itself
 */
export async function findLinks(
  { named, command }: Pick<CallReading, 'named' | 'command'>,
  roots: readonly string[],
  files: FilesPort,
): Promise<Links> {
  const effects = command === undefined || command === 'unreadable' ? [] : command.analysis.effects
  const touched = effects.flatMap(({ path, pattern, unresolved }): readonly NamedPath[] =>
    path === undefined
      ? []
      : [{ path: pattern ? literalFolder(path) : path, ...(unresolved === undefined ? {} : { unresolved }) }],
  )
  const all = new Map([...named, ...touched].slice(0, MAX_PATHS).map((each) => [each.unresolved ?? each.path, each]))
  if (all.size === 0) return NO_LINKS
  const [realRoots, found] = await Promise.all([
    Promise.all(roots.map(async (root) => ({ root, real: await realPath(root, files) }))),
    Promise.all([...all.values()].map(async (each) => ({ ...each, real: await follow(each, files) }))),
  ])
  const links = new Map<string, readonly string[]>()
  for (const { path, real } of found) {
    const place = realRoots.reduce((each, { root, real: from }) => rebase(each, from, root), real)
    if (place !== path) links.set(path, [...(links.get(path) ?? []), place])
  }
  return links
}

/** More than a command line can name that is not asked for its length alone. */
const MAX_PATHS = 5000

const NO_LINKS: Links = new Map()

/** Goes the way of a file system: `..` leads up from where a link leads, not from where it stands. */
async function follow({ path, unresolved }: NamedPath, files: FilesPort): Promise<string> {
  if (unresolved === undefined) return realPath(path, files)
  let real = ''
  for (const name of unresolved.split('/')) {
    if (name === '..') real = real.slice(0, Math.max(0, real.lastIndexOf('/')))
    else if (name !== '' && name !== '.') real = (await files.realPath(`${real}/${name}`)) ?? `${real}/${name}`
  }
  return real === '' ? '/' : real
}

async function realPath(path: string, files: FilesPort): Promise<string> {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const real = await files.realPath(path.slice(0, end))
    if (real !== undefined) return (real === '/' ? '' : real) + path.slice(end)
  }
  return path
}

function rebase(path: string, from: string, to: string): string {
  if (from === to) return path
  return path === from || path.startsWith(`${from}/`) ? to + path.slice(from.length) : path
}
