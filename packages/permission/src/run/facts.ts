import type { FilesPort } from '@ext/kernel'
import { type ReadingContext, type RuleCall, readPathsOf } from '../rule/reading.js'

/** Where the paths of a call really lead. For a file that does not exist yet, its deepest existing folder decides. */
export async function findRealPaths(
  call: RuleCall,
  context: ReadingContext,
  files: FilesPort,
): Promise<readonly string[]> {
  const paths = readPathsOf(call, context)
  if (!paths) return []
  const { cwd, home } = context.anchors
  const [realCwd, realHome, ...found] = await Promise.all([cwd, home, ...paths].map((path) => realPath(path, files)))
  // Rules speak of the working folder and of home as they are called, which may be links themselves.
  return found.map((path) => rebase(rebase(path, realCwd, cwd), realHome, home))
}

async function realPath(path: string, files: FilesPort): Promise<string> {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const real = await files.realPath(path.slice(0, end))
    if (real !== undefined) return (real === '/' ? '' : real) + path.slice(end)
  }
  return path
}

function rebase(path: string, from: string | undefined, to: string): string {
  if (from === undefined || from === to) return path
  return path === from || path.startsWith(`${from}/`) ? to + path.slice(from.length) : path
}
