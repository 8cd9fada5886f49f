import type { FilesPort } from '@ext/kernel'
import { literalFolder } from '../decide/effects.js'
import type { CallReading } from '../rule/reading.js'

/**
 * Where the paths of a call really lead, as far as that is elsewhere. For a file that does not exist yet its deepest
 * existing folder decides, for a glob the folder in which its first wildcard stands.
 * @param roots what rules speak of as it is called; a root may be a link itself
 */
export async function findLinks(
  { paths = [], command }: Pick<CallReading, 'paths' | 'command'>,
  roots: readonly string[],
  files: FilesPort,
): Promise<ReadonlyMap<string, string>> {
  const effects = command === undefined || command === 'unreadable' ? [] : command.analysis.effects
  const touched = effects.flatMap(({ path, pattern }) =>
    path === undefined ? [] : [pattern ? literalFolder(path) : path],
  )
  const all = [...new Set([...paths, ...touched])].slice(0, MAX_PATHS)
  if (all.length === 0) return NO_LINKS
  const [realRoots, found] = await Promise.all([
    Promise.all(roots.map(async (root) => ({ root, real: await realPath(root, files) }))),
    Promise.all(all.map(async (path) => ({ path, real: await realPath(path, files) }))),
  ])
  const links = new Map<string, string>()
  for (const { path, real } of found) {
    const place = realRoots.reduce((each, { root, real: from }) => rebase(each, from, root), real)
    if (place !== path) links.set(path, place)
  }
  return links
}

/** More than a command line can name that is not asked for its length alone. */
const MAX_PATHS = 5000

const NO_LINKS: ReadonlyMap<string, string> = new Map()

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
