/** Paths of this package are joined with `/`, which every platform reads; roots may come with the platform's own. */

const SLASH = 47
const BACKSLASH = 92

export function joinPath(folder: string, name: string): string {
  const end = folder.charCodeAt(folder.length - 1)
  // In one piece: a sum of texts keeps its parts in memory.
  return end === SLASH || end === BACKSLASH ? [folder, name].join('') : [folder, name].join('/')
}

/** As a file system writes it, so that it is the same text as one that was resolved. */
export function joinRealPath(folder: string, name: string): string {
  return folder.includes('\\') && !folder.includes('/') ? `${folder}\\${name}` : joinPath(folder, name)
}

export function folderOf(path: string): string {
  return path.slice(0, lastSlash(path))
}

export function baseName(path: string): string {
  return path.slice(lastSlash(path) + 1)
}

/** Both with links resolved. */
export function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder) && /^[\\/]/.test(path.slice(folder.length))
}

/** Asked several times for each skill, and what follows the last slash is short: a search for either sign takes longer. */
function lastSlash(path: string): number {
  let at = path.length - 1
  while (at >= 0) {
    const sign = path.charCodeAt(at)
    if (sign === SLASH || sign === BACKSLASH) break
    at--
  }
  return at
}
