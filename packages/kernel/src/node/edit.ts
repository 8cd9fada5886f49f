import { randomUUID } from 'node:crypto'
import { mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { messageOf } from '../errors.js'
import type { EditFilesPort, FileEdit } from '../types.js'
import { nodeFiles } from './files.js'
import { acquire } from './trust/lock.js'

/** Readable and writable by its owner alone: configuration may name what nobody else has to know. */
const NEW_FILE_MODE = 0o600
const NEW_FOLDER_MODE = 0o700

/**
 * Files of this machine, replaced in one step. A new file has the mode 0600; one that is there keeps its own.
 * @param options.maxBytes of a file that is there; a larger one is not changed. Default 1 MiB.
 */
export function nodeEditFiles({ maxBytes }: { readonly maxBytes?: number } = {}): EditFilesPort {
  return { edit: (path, change) => edit(path, change, maxBytes === undefined ? {} : { maxBytes }) }
}

async function edit(
  path: string,
  change: (text: string | undefined) => Promise<string | undefined>,
  limits: { readonly maxBytes?: number },
): Promise<FileEdit> {
  let release: (() => Promise<void>) | undefined
  try {
    await mkdir(dirname(path), { recursive: true, mode: NEW_FOLDER_MODE })
    const file = await realpath(path).catch(() => path)
    release = await acquire(file)
    const read = await nodeFiles().readText(file, limits)
    if (read.failure !== undefined && read.failure !== 'missing') return { written: false, failure: read.message }
    const next = await change(read.text)
    if (next === undefined || next === read.text) return { written: false }
    await replace(file, next)
    return { written: true }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { written: false, failure: code === 'ELOCKED' ? 'another process holds its lock' : messageOf(error) }
  } finally {
    await release?.()
  }
}

async function replace(file: string, text: string): Promise<void> {
  const mode = await stat(file).then(
    (info) => info.mode & 0o777,
    () => NEW_FILE_MODE,
  )
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    const handle = await open(temporary, 'wx', mode)
    try {
      await handle.chmod(mode)
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } finally {
    await rm(temporary, { force: true })
  }
}
