import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { messageOf } from '../../errors.js'
import type { HashedFile, HashPort } from '../../trust/types.js'
import { forgetPipe } from '../pipes.js'

/** Hashing holds the thread: half a second for a file of this size. */
const MAX_BYTES = 256 * 1024 * 1024
const CHUNK_BYTES = 256 * 1024

/** Hashes of texts and of files of this machine. Files of more than 256 MiB have none. */
export function nodeHash(): HashPort {
  return {
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    file: hashFile,
    realPath,
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

function hashFile(path: string): HashedFile {
  let handle: number | undefined
  try {
    // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
    handle = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const info = fstatSync(handle)
    forgetPipe(info)
    if (info.isDirectory()) return { failure: 'folder', message: 'A folder stands where a file is expected.' }
    if (!info.isFile()) return { failure: 'not-a-file', message: 'A device or pipe stands where a file is expected.' }
    const sha256 = info.size > MAX_BYTES ? undefined : hashContent(handle)
    if (sha256 === undefined) return { failure: 'too-large', message: `The file has more than ${MAX_BYTES} bytes.` }
    return { sha256, realPath: realpathSync.native(path) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code !== undefined && NO_SUCH_FILE.has(code)
      ? { failure: 'missing', message: 'The file does not exist.' }
      : { failure: 'unreadable', message: `The file can't be read: ${code ?? messageOf(error)}.` }
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

/** The last two: no file can have such a name. */
const NO_SUCH_FILE = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'])

function hashContent(handle: number): string | undefined {
  const hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  let length = 0
  for (;;) {
    const count = readSync(handle, chunk, 0, CHUNK_BYTES, null)
    if (count === 0) return hash.digest('hex')
    length += count
    if (length > MAX_BYTES) return undefined
    hash.update(chunk.subarray(0, count))
  }
}
