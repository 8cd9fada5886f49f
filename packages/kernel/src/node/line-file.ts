import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { messageOf } from '../errors.js'
import { nodeFiles } from './files.js'

/** How much a {@link LineFile} holds. */
export interface LineFileOptions {
  /** A file that would be longer becomes the one before it. Default 4 MiB. */
  readonly maxBytes?: number
  /** Files before it that are kept: `name.1.jsonl` is the newest of them. Default 1. */
  readonly older?: number
}

/** A record that only grows, one line after the other, for the eyes of the person alone. */
export interface LineFile {
  /**
   * Writes a line, in one write, so that lines of several processes do not mix. Throws what the file system throws, for
   * example for a full disk; the next line begins a line of its own all the same. Files that others may read are made the
   * person's own before the first line; where that can't be done it throws, and nothing is written.
   */
  append(line: string): void
  /** All lines of all files, oldest first. What can't be read is no line. */
  read(): Promise<readonly string[]>
}

const MAX_BYTES = 4 * 1024 * 1024
/** Whoever has left a lock behind for so long was ended in between. */
const STALE_MS = 10_000

/** Never through a link: what it leads to is somebody else's. Nor does it wait for the other end of what is a pipe by now. */
const CAREFULLY = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | CAREFULLY
const READ = constants.O_RDONLY | CAREFULLY

/** @param path absolute; its folder is made, for the person alone, when the first line is written */
export function lineFile(path: string, { maxBytes = MAX_BYTES, older = 1 }: LineFileOptions = {}): LineFile {
  const files = [...Array(older).keys()].map((index) => path.replace(/(\.[^.]*)?$/, `.${older - index}$1`))
  /** Whether the last line has an end; unknown at first: another process may have been ended in the middle of it. */
  let torn: boolean | undefined
  let isPrivate = false
  return {
    append(line) {
      const size = sizeOf(path)
      torn ??= size !== undefined && size > 0 && !endsLine(path, size)
      const bytes = Buffer.from(`${torn ? '\n' : ''}${line}\n`)
      if (size === undefined) mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      else if (size + bytes.length > maxBytes) makeRoom(path, files, maxBytes - bytes.length)
      const file = openSync(path, APPEND, 0o600)
      try {
        if (!isPrivate) {
          narrow(path, file)
          for (const full of files) narrowIfThere(full)
          isPrivate = true
        }
        const written = writeSync(file, bytes)
        torn = written < bytes.length
        if (torn) throw new Error(`only ${written} of ${bytes.length} bytes could be written`)
      } finally {
        closeSync(file)
      }
    },
    async read() {
      const port = nodeFiles()
      const reads = [...files, path].map((file) => port.readText(file, { maxBytes: 8 * maxBytes }))
      const texts = (await Promise.all(reads)).map(({ text = '' }) => text)
      return texts.flatMap((text) => text.split('\n')).filter((line) => line !== '')
    },
  }
}

const OTHERS = 0o077
const OWN = 0o600

/** Something else may have made it, such as a shell that copied it, with the mode that is usual for files. */
function narrow(path: string, file: number): void {
  if ((fstatSync(file).mode & OTHERS) === 0) return
  try {
    fchmodSync(file, OWN)
  } catch (error) {
    throw new Error(`others may read ${path}, and its mode can't be changed to 0600: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

function narrowIfThere(path: string): void {
  if (sizeOf(path) === undefined) return
  const file = openSync(path, READ)
  try {
    narrow(path, file)
  } finally {
    closeSync(file)
  }
}

/** Under a lock: of two processes that find the file full, one alone moves it. */
function makeRoom(path: string, files: readonly string[], room: number): void {
  const lock = `${path}.lock`
  if (!take(lock)) return
  try {
    if ((sizeOf(path) ?? 0) <= room) return
    const chain = [...files, path]
    for (const [index, file] of chain.entries()) {
      const next = chain[index - 1]
      if (next !== undefined && sizeOf(file) !== undefined) renameSync(file, next)
    }
    if (files.length === 0) rmSync(path)
  } finally {
    rmSync(lock, { force: true })
  }
}

/** Who does not get it writes on, into a file that is a little too long. */
function take(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx', 0o600))
    return true
  } catch {
    const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs
    if (made !== undefined && Date.now() - made > STALE_MS) rmSync(lock, { force: true })
    return false
  }
}

function endsLine(path: string, size: number): boolean {
  const file = openSync(path, READ)
  try {
    const last = Buffer.alloc(1)
    readSync(file, last, 0, 1, size - 1)
    return last.toString() === '\n'
  } finally {
    closeSync(file)
  }
}

/** Whoever opens a pipe waits for the other end. With `bigint`: see `pipes.ts`. */
function sizeOf(path: string): number | undefined {
  const info = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (!info) return undefined
  if (info.isFIFO() || info.isSocket()) throw new Error(`a pipe stands where a file is expected: ${path}`)
  return Number(info.size)
}
