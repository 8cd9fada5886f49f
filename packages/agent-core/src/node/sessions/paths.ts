import { createHash } from 'node:crypto'
import { readdirSync, realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Of the files that hold sessions. What else lies there has other endings. */
export const LOG_ENDING = '.jsonl'

/** Sessions of one project are together, whatever link leads to it. */
export function folderFor(root: string, cwd: string): string {
  return join(root, sha256(realPath(resolve(cwd))).slice(0, 16))
}

export function logFile(folder: string, id: string): string {
  return join(folder, `${nameOf(id)}${LOG_ENDING}`)
}

/** An id can be any text, and must lead nowhere else. */
function nameOf(id: string): string {
  return /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/.test(id) ? id : `id-${sha256(id)}`
}

/** The log of an id, whatever project it is of. Looked for with `bigint`, since it may be a pipe: see `logsIn`. */
export function findLog(root: string, id: string): string | undefined {
  return foldersIn(root)
    .map((folder) => logFile(folder, id))
    .find((file) => statSync(file, { bigint: true, throwIfNoEntry: false }))
}

export function foldersIn(root: string): readonly string[] {
  try {
    const items = readdirSync(root, { withFileTypes: true })
    return items.filter((item) => item.isDirectory()).map(({ name }) => join(root, name))
  } catch {
    return []
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
