import { constants } from 'node:fs'
import { access, type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../errors.js'
import type { FilesPort, FolderItem, ReadText } from '../types.js'
import { bulkFiles } from './bulk-files.js'

const DEFAULT_MAX_BYTES = 1024 * 1024
const CHUNK_BYTES = 64 * 1024

/** The file system of this machine. A byte order mark is not part of the text that is read. */
export function nodeFiles(): FilesPort {
  return {
    readText: (path, options) => readText(path, options?.maxBytes ?? DEFAULT_MAX_BYTES),
    list,
    realPath: (path) => realpath(path).catch(() => undefined),
    isExecutable: async (path) => {
      try {
        await access(path, constants.X_OK)
        return (await stat(path)).isFile()
      } catch {
        return false
      }
    },
    bulk: bulkFiles(),
  }
}

async function readText(path: string, maxBytes: number): Promise<ReadText> {
  let handle: FileHandle | undefined
  try {
    // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const info = await handle.stat()
    if (!info.isFile()) return { failure: 'not-a-file', message: `A ${kindOf(info)} stands where a file is expected.` }
    if (info.size > maxBytes) {
      return { failure: 'too-large', message: `The file has ${info.size} bytes; the limit is ${maxBytes}.` }
    }
    const bytes = await readUpTo(handle, maxBytes)
    if (!bytes) return { failure: 'too-large', message: `The file has more bytes than the limit of ${maxBytes}.` }
    try {
      return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
    } catch {
      return { failure: 'not-utf8', message: 'The file is not valid UTF-8.' }
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return { failure: 'missing', message: 'The file does not exist.' }
    return { failure: 'unreadable', message: `The file can't be read: ${code ?? messageOf(error)}.` }
  } finally {
    await handle?.close()
  }
}

/** The whole content, unless it is longer than `maxBytes`: files that grow, and those of /proc, don't say their size. */
async function readUpTo(handle: FileHandle, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, null)
    if (bytesRead === 0) return Buffer.concat(chunks, length)
    chunks.push(buffer.subarray(0, bytesRead))
    length += bytesRead
    if (length > maxBytes) return undefined
  }
}

function kindOf(info: { isDirectory(): boolean }): string {
  return info.isDirectory() ? 'folder' : 'device or pipe'
}

async function list(path: string): Promise<readonly FolderItem[] | undefined> {
  let items: Awaited<ReturnType<typeof readEntries>>
  try {
    items = await readEntries(path)
  } catch {
    return undefined
  }
  const kinds = await Promise.all(
    items.map(async (item): Promise<FolderItem> => {
      if (item.isFile()) return { name: item.name, kind: 'file' }
      if (item.isDirectory()) return { name: item.name, kind: 'folder' }
      const target = item.isSymbolicLink() ? await stat(join(path, item.name)).catch(() => undefined) : undefined
      return { name: item.name, kind: target?.isFile() ? 'file' : target?.isDirectory() ? 'folder' : 'other' }
    }),
  )
  return kinds.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
}

function readEntries(path: string) {
  return readdir(path, { withFileTypes: true })
}
