import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { ExtError, formatDiagnostic, messageOf } from '@ext/kernel'
import type { Diagnostic } from '@ext/kernel/types'
import { type ParsedLog, parseLog } from '../../sessions/parse.js'
import type { KeptSession, SessionHeader, SessionStore, SessionWriter } from '../../types.js'
import { claim, claimNew } from './owner.js'
import { findLog, folderFor, logFile } from './paths.js'
import { listSessions, searchSessions } from './scan.js'
import { lineWriter, writeAll } from './writer.js'

export interface FileSessionStoreOptions {
  /** Absolute path. Below it every project has a folder of its own, named by a hash of its path. Made when it is needed. */
  readonly folder: string
}

const APPEND = constants.O_APPEND | constants.O_RDWR | (constants.O_NOFOLLOW ?? 0)

/**
 * Keeps sessions in files of JSON lines: one event a line behind a header, never changed once they are written, readable by
 * their owner alone. A file holds whatever was said, with every secret in it.
 *
 * One process works on a session: another one is refused until the first has ended, however it has.
 */
export function fileSessionStore(options: FileSessionStoreOptions): SessionStore {
  const root = resolve(options.folder)
  return {
    place: (id, cwd) => logFile(folderFor(root, cwd), id),
    async create(header) {
      return createLog(root, header)
    },
    async open(id) {
      const file = fileOf(root, id)
      const release = await claimIfWritable(file)
      try {
        return openLog(file, release)
      } catch (error) {
        if (typeof release === 'function') release()
        throw error
      }
    },
    async read(id) {
      const file = fileOf(root, id)
      return kept(file, readLog(file))
    },
    list: async (query) => listSessions(root, query),
    search: async (text, query) => searchSessions(root, text, query),
  }
}

function fileOf(root: string, id: string): string {
  const file = findLog(root, id)
  if (file !== undefined) return file
  throw new ExtError('agent-core.session.unknown', `There is no session \`${id}\` in ${root}.`)
}

function createLog(root: string, header: SessionHeader): SessionWriter {
  const { id, cwd } = header
  const file = logFile(folderFor(root, cwd), id)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const other = findLog(root, id)
  if (other !== undefined) throw taken(id, other)
  let handle: number
  try {
    handle = openSync(file, APPEND | constants.O_CREAT | constants.O_EXCL, 0o600)
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? taken(id, file) : error
  }
  try {
    const line = Buffer.from(`${JSON.stringify(header)}\n`)
    writeAll(handle, line)
    return lineWriter(handle, line.length, file, claimNew(file))
  } catch (error) {
    closeSync(handle)
    rmSync(file, { force: true })
    throw error
  }
}

function taken(id: string, file: string): ExtError {
  const message = `There is a session \`${id}\` already, in ${file}. Resume it, or take another id.`
  return new ExtError('agent-core.session.taken', message)
}

/** Where nothing can be written nobody else can write either; the session goes on without being kept. */
async function claimIfWritable(file: string): Promise<(() => void) | { readonly failure: Error }> {
  try {
    return await claim(file)
  } catch (error) {
    if (ExtError.isInstance(error) && error.code === 'agent-core.session.unwritable') return { failure: error }
    throw error
  }
}

function openLog(
  file: string,
  release: (() => void) | { readonly failure: Error },
): KeptSession & { readonly writer: SessionWriter } {
  if (typeof release !== 'function') {
    const { failure } = release
    return { ...kept(file, readLog(file)), writer: noWriter(failure, () => {}) }
  }
  const log = readLog(file)
  const { header, diagnostics } = kept(file, log)
  let handle: number
  let aside: string | undefined
  try {
    if (log.rest === 'damaged') aside = putAside(file, log)
    handle = openSync(file, APPEND)
  } catch (error) {
    // It can be read, so the session goes on; that it is not kept is said with its first event.
    return { header, events: log.events, diagnostics, place: file, writer: noWriter(error, release) }
  }
  try {
    if (log.rest === 'torn') ftruncateSync(handle, log.usedBytes)
    const writer = lineWriter(handle, log.usedBytes, file, release)
    const said = aside === undefined ? diagnostics : diagnostics.map((each) => withAside(each, aside))
    return { header, events: log.events, diagnostics: said, place: file, writer }
  } catch (error) {
    closeSync(handle)
    throw error
  }
}

function noWriter(failure: unknown, release: () => void): SessionWriter {
  return {
    append() {
      throw failure
    },
    sync: async () => {},
    close: async () => release(),
  }
}

/** The file as it is stays under another name, and what can be used of it takes its place in one step. */
function putAside(file: string, { usedBytes }: ParsedLog): string {
  const aside = `${file}.damaged-${new Date().toISOString().replaceAll(':', '-')}`
  const temporary = `${file}.tmp`
  const bytes = readFileSync(file).subarray(0, usedBytes)
  rmSync(temporary, { force: true })
  const handle = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    writeAll(handle, bytes)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  copyFileSync(file, aside, constants.COPYFILE_EXCL)
  renameSync(temporary, file)
  return aside
}

function withAside(diagnostic: Diagnostic, aside: string): Diagnostic {
  return { ...diagnostic, hint: `The whole file is kept as ${aside}; repair the line there to have what follows it.` }
}

function readLog(file: string): ParsedLog {
  let handle: number | undefined
  try {
    // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
    handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    // With `bigint`, since Node takes a pipe in the plain result for the end of a path that it resolves next.
    if (!fstatSync(handle, { bigint: true }).isFile())
      throw new ExtError('agent-core.session.unreadable', 'it is not a file')
    return parseLog(readFileSync(handle), file)
  } catch (error) {
    const message = `The log ${file} can’t be read: ${messageOf(error)}`
    throw new ExtError('agent-core.session.unreadable', message, { cause: error })
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

function kept(file: string, { header, events, diagnostics, rest }: ParsedLog): KeptSession {
  if (header) return { header, events, diagnostics, place: file }
  const code = rest === 'newer' ? 'agent-core.session.version' : 'agent-core.session.unreadable'
  throw new ExtError(code, diagnostics.map((each) => formatDiagnostic(each)).join('\n'))
}
