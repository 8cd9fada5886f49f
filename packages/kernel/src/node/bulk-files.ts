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
import { createPace, type Pace } from '../pace.js'
import type { BulkFiles, FolderLook, FolderOptions, HeadLook, HeadOptions, ListedItem, Stamped } from '../types.js'
import { forgetPipe } from './pipes.js'

const DEFAULT_MAX_BYTES = 1024 * 1024
const FIRST_BYTES = 4096
/** What was changed so shortly before it was read may be changed again without a new time: file systems count in ticks. */
const SETTLED_MS = 2000
/** A file that is written while it is read is read again. */
const TRIES = 3

export function bulkFiles(): BulkFiles {
  return { listAll, readHeads, areSame }
}

/**
 * A promise for each file costs several times what the file itself does. One on a slow disk still holds up the event
 * loop for as long as it takes.
 */
async function readHeads(files: readonly string[], options: HeadOptions): Promise<readonly HeadLook[]> {
  const pace = createPace()
  const reader = new HeadReader(options, Date.now())
  const results: HeadLook[] = []
  while (results.length < files.length) {
    reader.readSome(files, results, pace)
    if (results.length < files.length) await pace.turn()
  }
  return results
}

async function listAll(folders: readonly string[], options: FolderOptions = {}): Promise<readonly FolderLook[]> {
  const pace = createPace()
  const lister = new Lister(options, Date.now())
  const results: FolderLook[] = []
  while (results.length < folders.length) {
    const large = lister.listSome(folders, results, pace)
    if (results.length < folders.length) await pace.turn()
    if (large) results.push(lister.look(folders[results.length] ?? '', large))
  }
  return results
}

/** Reading the names of as many takes as long as all else may. */
const MANY = 1000

const FAILED: { readonly state: 'failed' } = Object.freeze({ state: 'failed' })

/** Lists one folder after the other. */
class Lister {
  readonly #byTime: FolderOptions['byTime']
  readonly #now: number

  constructor({ byTime }: FolderOptions, now: number) {
    this.#byTime = byTime
    this.#now = now
  }

  /** Goes on until it is somebody else's turn. @returns what a folder holds that is to be looked at in the next one */
  listSome(folders: readonly string[], results: FolderLook[], pace: Pace): readonly Dirent[] | undefined {
    while (results.length < folders.length && !pace.isDue()) {
      const path = folders[results.length] ?? ''
      let found: readonly Dirent[]
      try {
        found = readdirSync(path, { withFileTypes: true })
      } catch {
        results.push(FAILED)
        continue
      }
      if (found.length > MANY) return found
      results.push(this.look(path, found))
    }
    return undefined
  }

  look(path: string, found: readonly Dirent[]): FolderLook {
    let hasLinks = false
    const items: ListedItem[] = []
    for (const each of found) {
      const item = toItem(each, path)
      hasLinks ||= item.link
      items.push(item)
    }
    // What a link leads to can change without the folder.
    if (hasLinks) return { state: 'listed', items, stamp: undefined }
    return { state: 'listed', items, stamp: this.#byTime?.(items) ? -this.#now : stampOfFolder(path, this.#now) }
  }
}

/** Of a folder that was listed after `now`: what was changed since has no stamp. */
function stampOfFolder(path: string, now: number): number | undefined {
  try {
    return stampOf(statSync(path), now)
  } catch {
    return undefined
  }
}

async function areSame(looks: readonly Stamped[]): Promise<boolean> {
  const pace = createPace()
  const now = Date.now()
  for (let at = 0; at < looks.length; ) {
    at = findChange(looks, at, now, pace)
    if (at < 0) return false
    if (at < looks.length) await pace.turn()
  }
  return true
}

/** Goes on until it is somebody else's turn. @returns where to go on, and below zero if one is not the same */
function findChange(looks: readonly Stamped[], from: number, now: number, pace: Pace): number {
  let at = from
  for (; at < looks.length && !pace.isDue(); at++) {
    const look = looks[at]
    if (!look || !isSame(look, now)) return -1
  }
  return at
}

/** A stamp is what {@link stampOf} has made, or below zero the time of a look. */
function isSame({ path, stamp }: Stamped, now: number): boolean {
  try {
    const info = statSync(path)
    forgetPipe(info)
    return stamp < 0 ? isSettled(info, -stamp) : stampOf(info, now) === stamp
  } catch {
    return false
  }
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
  #decoder: InstanceType<typeof TextDecoder> | undefined
  #buffer = Buffer.allocUnsafe(FIRST_BYTES)

  readonly #now: number

  constructor(options: HeadOptions, now: number) {
    this.#options = options
    this.#now = now
    this.#maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES
  }

  /** Goes on until it is somebody else's turn. */
  readSome(files: readonly string[], results: HeadLook[], pace: Pace): void {
    while (results.length < files.length && !pace.isDue()) results.push(this.#read(files[results.length] ?? ''))
  }

  #read(path: string): HeadLook {
    let descriptor: number | undefined
    try {
      // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
      descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
      for (let attempt = 1; ; attempt++) {
        const before = fstatSync(descriptor)
        const refused = this.#refuse(before)
        if (refused) return refused
        let filled = 0
        let end: number | undefined
        let reads = 0
        for (let whole = false; end === undefined && !whole; reads++) {
          if (filled === this.#buffer.length) this.#grow()
          const count = readSync(descriptor, this.#buffer, filled, this.#buffer.length - filled, filled)
          filled += count
          if (filled > this.#maxBytes) return tooLarge(`more than ${this.#maxBytes}`, this.#maxBytes)
          whole = count === 0
          end = this.#options.end(this.#bytes(filled), whole)
        }
        // What came with one read is of one piece.
        if (reads > 1 && attempt < TRIES && !sameContent(before, fstatSync(descriptor))) continue
        return { state: 'read', text: this.#decode(end ?? filled), stamp: stampOf(before, this.#now) }
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

  #bytes(length: number): Uint8Array {
    return length === this.#buffer.length ? this.#buffer : this.#buffer.subarray(0, length)
  }

  #grow(): void {
    const larger = Buffer.allocUnsafe(this.#buffer.length * 4)
    this.#buffer.copy(larger)
    this.#buffer = larger
  }

  #decode(length: number): string {
    const text = this.#buffer.toString('latin1', 0, length)
    // As most heads are, and then there is nothing to decode.
    if (!BEYOND_ASCII.test(text)) return text
    this.#decoder ??= new TextDecoder('utf-8', { fatal: true })
    return this.#decoder.decode(this.#bytes(length))
  }
}

const BEYOND_ASCII = /[\x80-\xff]/

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

function isSettled({ mtimeMs, ctimeMs }: Stats, at: number): boolean {
  return at - Math.max(mtimeMs, ctimeMs) >= SETTLED_MS
}

/** A number for what a file or folder is at this time; `undefined` if it was changed too shortly before to be told apart. */
function stampOf(info: Stats, now: number): number | undefined {
  if (!isSettled(info, now)) return undefined
  const { dev, ino, size, mtimeMs, ctimeMs } = info
  const changed = ctimeMs * 1000
  const all = mix(mix(mix(mix(dev, ino), size), mtimeMs * 1000), changed)
  return (all >>> 0) * 0x100000 + ((changed % 0x100000) >>> 0)
}

/** Both halves of a number count, and where in the row it stands. */
function mix(hash: number, part: number): number {
  return Math.imul(hash ^ part ^ (part / 0x100000000), 0x9e3779b1) ^ (hash >>> 15)
}
