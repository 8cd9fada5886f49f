import type { JsonObject } from '@ext/kernel/contract'

/** The answer to `roots/list`. @param folders absolute paths */
export function toRoots(folders: readonly string[]): JsonObject {
  return { roots: folders.map((folder) => ({ uri: fileUri(folder), name: nameOf(folder) })) }
}

/** The folder as `pathToFileURL` has it, which is Node's. */
function fileUri(path: string): string {
  const slashes = path.replaceAll('\\', '/')
  const absolute = slashes.startsWith('/') ? slashes : `/${slashes}`
  return `file://${absolute
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replace(/^\/([A-Za-z])%3A/, '/$1:')}`
}

function nameOf(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? path
}
