import { isAscii } from 'node:buffer'
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../errors.js'
import { createPace, inTurns } from '../pace.js'
import { compareText } from '../text.js'
import type { BulkFiles, FolderLook, HeadLook, HeadOptions, ListedItem, Look } from '../types.js'
import { forgetPipe } from './pipes.js'

const DEFAULT_MAX_BYTES = 1024 * 1024
const FIRST_BYTES = 4096
/** What was changed so shortly before it was read may be changed again without a new time: file systems count in ticks. */
const SETTLED_MS = 2000
/** A file that is written while it is read is read again. */
const TRIES = 3

export function bulkFiles(): BulkFiles {
  return { listAll, readHeads }
}

/**
 * A promise for each file costs several times what the file itself does. One on a slow disk still holds up the event
 * loop for as long as it takes.
 */
async function readHeads(files: readonly Look[], options: HeadOptions): Promise<readonly HeadLook[]> {
  const results: HeadLook[] = []
  const reader = new HeadReader(options, Date.now())
  await inTurns(files, createPace(), (look) => {
    results.push(reader.read(look))
  })
  return results
}

const UNCHANGED: { readonly state: 'unchanged' } = Object.freeze({ state: 'unchanged' })

/** Reading the names of as many takes as long as all else may. */
const MANY = 1000

async function listAll(folders: readonly Look[]): Promise<readonly FolderLook[]> {
  const results: FolderLook[] = []
  const pace = createPace()
  const now = Date.now()
  await inTurns(folders, pace, (look) => {
    const read = readFolder(look, now)
    if (read.state === 'read' && read.items.length > MANY) {
      return pace.turn().then(() => results.push(toListing(look.path, read)))
    }
    results.push(read.state === 'read' ? toListing(look.path, read) : read)
    return undefined
  })
  return results
}

interface ReadFolder {
  readonly state: 'read'
  readonly items: readonly Dirent[]
  readonly stamp: number | undefined
}

function readFolder({ path, stamp }: Look, now: number): ReadFolder | Exclude<FolderLook, { state: 'listed' }> {
  try {
    const info = statSync(path)
    forgetPipe(info)
    const current = stampOf(info, now)
    if (stamp !== undefined && stamp === current) return UNCHANGED
    return { state: 'read', items: readdirSync(path, { withFileTypes: true }), stamp: current }
  } catch {
    return { state: 'failed' }
  }
}

function toListing(path: string, read: ReadFolder): FolderLook {
  const items = read.items.map((item) => toItem(item, path))
  if (items.length > 1) items.sort((a, b) => compareText(a.name, b.name))
  // What a link leads to can change without the folder.
  return { state: 'listed', items, stamp: items.some(({ link }) => link) ? undefined : read.stamp }
}

function toItem(item: Dirent, folder: string): ListedItem {
  const { name } = item
  if (item.isFile()) return { name, kind: 'file', link: false }
  if (item.isDirectory()) return { name, kind: 'folder', link: false }
  if (!item.isSymbolicLink()) return { name, kind: 'other', link: false }
  let target: Stats | undefined
  try {
    target = statSync(join(folder, name), { throwIfNoEntry: false })
    if (target) forgetPipe(target)
  } catch {
    // A link that leads in circles leads nowhere.
  }
  return { name, kind: target?.isFile() ? 'file' : target?.isDirectory() ? 'folder' : 'other', link: true }
}

/** Reads one beginning after the other into the same buffer. */
class HeadReader {
  readonly #options: HeadOptions
  readonly #maxBytes: number
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  #buffer = Buffer.allocUnsafe(FIRST_BYTES)

  readonly #now: number

  constructor(options: HeadOptions, now: number) {
    this.#options = options
    this.#now = now
    this.#maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES
  }

  read({ path, stamp }: Look): HeadLook {
    let descriptor: number | undefined
    try {
      if (stamp !== undefined && stampOf(statSync(path), this.#now) === stamp) return UNCHANGED
      // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
      descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
      for (let attempt = 1; ; attempt++) {
        const before = fstatSync(descriptor)
        const refused = this.#refuse(before)
        if (refused) return refused
        const { length, reads } = this.#fill(descriptor)
        if (length === undefined) return tooLarge(`more than ${this.#maxBytes}`, this.#maxBytes)
        // What came with one read is of one piece.
        if (reads > 1 && attempt < TRIES && !sameContent(before, fstatSync(descriptor))) continue
        return { state: 'read', text: this.#decode(length), stamp: stampOf(before, this.#now) }
      }
    } catch (error) {
      return toFailure(error)
    } finally {
      if (descriptor !== undefined) closeSync(descriptor)
    }
  }

  #refuse(info: Stats): HeadLook | undefined {
    if (!info.isFile()) {
      forgetPipe(info)
      const kind = info.isDirectory() ? 'folder' : 'device or pipe'
      return { state: 'failed', failure: 'not-a-file', message: `A ${kind} stands where a file is expected.` }
    }
    return info.size > this.#maxBytes ? tooLarge(String(info.size), this.#maxBytes) : undefined
  }

  /** How many bytes of the buffer are the head. */
  #fill(descriptor: number): { readonly length: number | undefined; readonly reads: number } {
    let filled = 0
    for (let reads = 1; ; reads++) {
      const room = this.#buffer.length - filled
      const count = readSync(descriptor, this.#buffer, filled, room, filled)
      filled += count
      if (filled > this.#maxBytes) return { length: undefined, reads }
      const whole = count === 0
      const end = this.#options.end(this.#buffer.subarray(0, filled), whole)
      if (end !== undefined || whole) return { length: end ?? filled, reads }
      if (filled === this.#buffer.length) this.#grow()
    }
  }

  #grow(): void {
    const larger = Buffer.allocUnsafe(this.#buffer.length * 4)
    this.#buffer.copy(larger)
    this.#buffer = larger
  }

  #decode(length: number): string {
    const bytes = this.#buffer.subarray(0, length)
    // As most heads are, and then there is nothing to decode.
    return isAscii(bytes) ? this.#buffer.toString('latin1', 0, length) : this.#decoder.decode(bytes)
  }
}

function tooLarge(size: string, limit: number): HeadLook {
  return { state: 'failed', failure: 'too-large', message: `The file has ${size} bytes; the limit is ${limit}.` }
}

function toFailure(error: unknown): HeadLook {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return { state: 'failed', failure: 'missing', message: 'The file does not exist.' }
  }
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return { state: 'failed', failure: 'not-utf8', message: 'The file is not valid UTF-8.' }
  }
  return { state: 'failed', failure: 'unreadable', message: `The file can't be read: ${code ?? messageOf(error)}.` }
}

function sameContent(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs
}

/** A number for what a file or folder is at this time; `undefined` if it was changed too shortly before to be told apart. */
function stampOf(info: Stats, now: number): number | undefined {
  const { dev, ino, size, mtimeMs, ctimeMs } = info
  if (now - Math.max(mtimeMs, ctimeMs) < SETTLED_MS) return undefined
  let low = 0
  let high = 0
  const parts = [dev, ino, size, mtimeMs * 1000, ctimeMs * 1000]
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] ?? 0
    low = Math.imul(low ^ (part % 0x100000000), 0x9e3779b1)
    high = Math.imul(high ^ (part / 0x10000), 0x85ebca6b) ^ (low >>> 15)
  }
  return (high >>> 0) * 0x100000 + (low >>> 12)
}
