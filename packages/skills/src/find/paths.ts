/** Paths of this package are joined with `/`, which every platform reads; roots may come with the platform's own. */

const SLASH = 47
const BACKSLASH = 92

export function joinPath(folder: string, name: string): string {
  return isSlash(folder.charCodeAt(folder.length - 1)) ? folder + name : `${folder}/${name}`
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

/** Paths may start with parts between backslashes; as a rule there is none behind the last slash. */
function lastSlash(path: string): number {
  const at = path.lastIndexOf('/')
  return path.includes('\\', at + 1) ? path.lastIndexOf('\\') : at
}

/** Whether a file stands in a folder of a name. Thousands are asked, so nothing is cut out. */
export function isInFolder(file: string, name: string): boolean {
  const start = lastSlash(file) - name.length
  return start > 0 && isSlash(file.charCodeAt(start - 1)) && file.startsWith(name, start)
}

function isSlash(sign: number): boolean {
  return sign === SLASH || sign === BACKSLASH
}
