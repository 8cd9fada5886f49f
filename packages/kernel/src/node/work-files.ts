import { randomUUID } from 'node:crypto'
import { type BigIntStats, constants, linkSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { access, type FileHandle, lstat, mkdir, open, readdir, realpath, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { messageOf } from '../errors.js'
import type { FileStat, OpenFile, ReadWork, Replaced, WorkFilesPort, WorkItem } from '../types.js'

/**
 * The files of this machine. A file that is replaced keeps its mode and, where that is permitted, its owner; other names
 * of it (hard links) stay with the old content. A new file has the mode that the umask leaves.
 */
export function nodeWorkFiles(): WorkFilesPort {
  return {
    realPath: (path) => realpath(path).catch(() => undefined),
    stat: async (path) => {
      const info = await lstat(path, { bigint: true }).catch(() => undefined)
      return info && statOf(info)
    },
    list,
    read,
    replace,
  }
}

function statOf(info: BigIntStats): FileStat {
  const { dev, ino, size, mtimeNs, ctimeNs } = info
  return {
    kind: kindOf(info),
    size: Number(size),
    modifiedMs: Number(mtimeNs / 1_000_000n),
    version: [dev, ino, size, mtimeNs, ctimeNs].join('-'),
  }
}

function kindOf(item: Pick<BigIntStats, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): FileStat['kind'] {
  if (item.isFile()) return 'file'
  if (item.isDirectory()) return 'folder'
  return item.isSymbolicLink() ? 'link' : 'other'
}

async function list(path: string): Promise<readonly WorkItem[] | undefined> {
  try {
    const items = await readdir(path, { withFileTypes: true })
    return items
      .map((item) => ({ name: item.name, kind: kindOf(item), bytes: Buffer.from(item.name) }))
      .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
      .map(({ name, kind }) => ({ name, kind }))
  } catch {
    return undefined
  }
}

async function read<T>(path: string, use: (file: OpenFile) => Promise<T>): Promise<ReadWork<T>> {
  let handle: FileHandle
  try {
    // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { failure: 'missing', message: 'The file does not exist.' }
    if (code === 'ELOOP') return { failure: 'not-a-file', message: 'A link stands where a file is expected.' }
    return { failure: 'unreadable', message: `The file can't be read: ${code ?? messageOf(error)}.` }
  }
  try {
    const info = await handle.stat({ bigint: true })
    if (!info.isFile()) {
      const what = info.isDirectory() ? 'folder' : 'device or pipe'
      return { failure: 'not-a-file', message: `A ${what} stands where a file is expected.` }
    }
    return { value: await use({ stat: statOf(info), read: (at, length) => readAt(handle, at, length) }) }
  } finally {
    await handle.close()
  }
}

/** A read may give less than what is asked for before the end. */
async function readAt(handle: FileHandle, at: number, length: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, at + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

async function replace(
  path: string,
  bytes: Uint8Array,
  { expected }: { readonly expected: string },
): Promise<Replaced> {
  const temporary = join(dirname(path), `.${randomUUID()}.tmp`)
  try {
    await mkdir(dirname(path), { recursive: true })
    const before = await lstat(path, { bigint: true }).catch(() => undefined)
    const problem = problemOf(before, expected) ?? (before && (await readOnly(path, before)))
    if (problem) return problem
    const version = await write(temporary, bytes, before)
    // From here to the end of the step nothing is awaited.
    const late = problemOf(lstatSync(path, { bigint: true, throwIfNoEntry: false }), expected)
    if (late) return late
    if (before) renameSync(temporary, path)
    else place(temporary, path)
    const stat = statOf(lstatSync(path, { bigint: true }))
    return sameFile(stat.version, version) ? { outcome: 'replaced', stat } : changed('Something else was put there.')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && (error as NodeJS.ErrnoException).syscall === 'link')
      return changed('Something else was put there.')
    return { outcome: 'failed', message: `The file can't be written: ${code ?? messageOf(error)}.` }
  } finally {
    await rm(temporary, { force: true }).catch(() => {})
  }
}

function changed(message: string): Replaced {
  return { outcome: 'changed', message }
}

function problemOf(info: BigIntStats | undefined, expected: string): Replaced | undefined {
  if (!info) return expected === 'absent' ? undefined : changed('The file is gone.')
  if (!info.isFile()) return changed(`A ${kindOf(info)} stands where a file is expected.`)
  if (expected === 'absent') return changed('The file is there already.')
  return statOf(info).version === expected ? undefined : changed('The file was changed meanwhile.')
}

/** Replacing needs no right to write the file itself, but whoever took that away meant it; of root, too. */
async function readOnly(path: string, info: BigIntStats): Promise<Replaced | undefined> {
  const open =
    (info.mode & 0o222n) !== 0n &&
    (await access(path, constants.W_OK).then(
      () => true,
      () => false,
    ))
  return open ? undefined : { outcome: 'read-only', message: 'The file is read-only.' }
}

/** @returns the version of what was written */
async function write(temporary: string, bytes: Uint8Array, before: BigIntStats | undefined): Promise<string> {
  const handle = await open(temporary, 'wx', before ? 0o600 : 0o666)
  try {
    await handle.writeFile(bytes)
    if (before) {
      const own = await handle.stat({ bigint: true })
      if (own.uid !== before.uid || own.gid !== before.gid) {
        await handle.chown(Number(before.uid), Number(before.gid)).catch(() => {})
      }
      await handle.chmod(Number(before.mode & 0o7777n))
    }
    await handle.sync()
    return statOf(await handle.stat({ bigint: true })).version
  } finally {
    await handle.close()
  }
}

/** A new name for the file, never over another one. Where there are no hard links, the last look has to do. */
function place(temporary: string, path: string): void {
  try {
    linkSync(temporary, path)
    rmSync(temporary)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EPERM' && code !== 'ENOSYS' && code !== 'EOPNOTSUPP' && code !== 'EMLINK') throw error
    renameSync(temporary, path)
  }
}

/** The same file with the same content; the time of its last change is that of its new name. */
function sameFile(a: string, b: string): boolean {
  const withoutChange = (version: string) => version.slice(0, version.lastIndexOf('-'))
  return withoutChange(a) === withoutChange(b)
}
