/** Paths of this package are joined with `/`, which every platform reads; roots may come with the platform's own. */

export function joinPath(folder: string, name: string): string {
  return /[\\/]$/.test(folder) ? folder + name : `${folder}/${name}`
}

export function folderOf(path: string): string {
  return path.slice(0, lastSlash(path))
}

export function baseName(path: string): string {
  return path.slice(lastSlash(path) + 1)
}

function lastSlash(path: string): number {
  return Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))
}
