import {
  type BigIntStats,
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { isMap } from '@ext/kernel'
import type { Message } from '@ext/kernel/contract'
import { textOf } from '../../call/content.js'
import { messageProblem, resultProblem } from '../../messages.js'
import { eventProblem, headerProblem } from '../../sessions/check.js'
import { LOG_VERSION, type SessionEvent, type SessionHeader } from '../../sessions/log.js'
import type { SessionMatch, SessionQuery, SessionSummary } from '../../types.js'
import { folderFor, foldersIn, LOG_ENDING } from './paths.js'

const DEFAULT_LIMIT = 50
const MAX_TITLE = 200
/** In bytes. One that is longer counts as that of a session. */
const MAX_HEADER = 16 * 1024
/** Around a text that was found, in characters. */
const AROUND = 60

interface LogFile {
  readonly file: string
  readonly info: BigIntStats
}

/** The newest logs, told by when they were written last. Files that are no logs, or are gone by now, are left out. */
export function listSessions(
  root: string,
  { cwd, subAgents = false, limit = DEFAULT_LIMIT }: SessionQuery = {},
): readonly SessionSummary[] {
  const found: SessionSummary[] = []
  for (const log of newestFirst(root, cwd)) {
    if (found.length >= limit) break
    if (!subAgents && isOfSubAgent(log.file)) continue
    const summary = summaryOf(log)
    if (summary) found.push(summary)
  }
  return found
}

export function searchSessions(
  root: string,
  text: string,
  { cwd, subAgents = false, limit = DEFAULT_LIMIT }: SessionQuery = {},
): readonly SessionMatch[] {
  const wanted = text.toLowerCase()
  const asWritten = JSON.stringify(text).slice(1, -1).toLowerCase()
  const matches: SessionMatch[] = []
  for (const log of newestFirst(root, cwd)) {
    if (matches.length >= limit) break
    if (!subAgents && isOfSubAgent(log.file)) continue
    const content = contentOf(log.file)
    if (!content.toLowerCase().includes(asWritten)) continue
    const texts = content.split('\n').flatMap((line) => textsIn(eventOf(line)))
    const found = texts.filter((each) => each.toLowerCase().includes(wanted))
    const [first] = found
    const session = summaryOf(log)
    if (first !== undefined && session)
      matches.push({ session, excerpt: excerptOf(first, wanted), count: found.length })
  }
  return matches
}

function newestFirst(root: string, cwd: string | undefined): readonly LogFile[] {
  const folders = cwd === undefined ? foldersIn(root) : [folderFor(root, cwd)]
  return folders.flatMap(logsIn).sort((a, b) => Number(b.info.mtimeNs - a.info.mtimeNs))
}

function logsIn(folder: string): readonly LogFile[] {
  let names: readonly string[]
  try {
    names = readdirSync(folder)
  } catch {
    return []
  }
  return names
    .filter((name) => name.endsWith(LOG_ENDING))
    .flatMap((name) => {
      const file = join(folder, name)
      // With `bigint`, since Node takes a pipe in the plain result for the end of a path that it resolves next.
      const info = statSync(file, { bigint: true, throwIfNoEntry: false })
      return info?.isFile() ? [{ file, info }] : []
    })
}

/** Looks at the first line alone: the others may be megabytes that nobody asked for. */
function isOfSubAgent(file: string): boolean {
  try {
    const handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    try {
      const bytes = Buffer.alloc(MAX_HEADER)
      const [line = ''] = bytes.toString('utf8', 0, readSync(handle, bytes, 0, MAX_HEADER, 0)).split('\n')
      const header = parse(line)
      return isMap(header) && header['parent'] !== undefined
    } finally {
      closeSync(handle)
    }
  } catch {
    return false
  }
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function summaryOf({ file, info }: LogFile): SessionSummary | undefined {
  const [first = '', ...lines] = contentOf(file).split('\n')
  const header = parse(first) as SessionHeader | undefined
  if (headerProblem(header) !== undefined || !header) return undefined
  const { id, cwd, permissionMode, from, parent, at, version } = header
  let title: string | undefined
  let prompts = 0
  let turns = 0
  for (const line of lines) {
    if (!line.startsWith('{"type":"message"')) continue
    const event = eventOf(line)
    if (event?.type !== 'message') continue
    if (event.prompt) prompts++
    if (event.turn !== undefined) turns++
    if (event.message.role === 'user') title ??= titleOf(event.message)
  }
  const newer = version > LOG_VERSION ? { problem: `A newer version wrote it: ${version}.` } : {}
  return {
    id,
    cwd,
    permissionMode,
    ...(from === undefined ? {} : { from }),
    ...(parent === undefined ? {} : { parent }),
    startedAt: at,
    updatedAt: info.mtime.toISOString(),
    title: title ?? '',
    prompts,
    turns,
    bytes: Number(info.size),
    place: file,
    ...newer,
  }
}

function titleOf(message: Extract<Message, { role: 'user' }>): string {
  const line = textOf(message.content).replace(/\s+/g, ' ').trim()
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line
}

/** What people, models and tools said. */
function textsIn(event: SessionEvent | undefined): readonly string[] {
  if (event?.type === 'result') return [textOf(event.result.content)]
  if (event?.type !== 'message') return []
  const { message } = event
  if (message.role === 'user') return [textOf(message.content)]
  if (message.role === 'tool') return message.results.map(({ content }) => textOf(content))
  return [message.text, ...message.calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`)]
}

function excerptOf(text: string, wanted: string): string {
  const at = text.toLowerCase().indexOf(wanted)
  const start = Math.max(0, at - AROUND)
  const end = Math.min(text.length, at + wanted.length + AROUND)
  const middle = text.slice(start, end).replace(/\s+/g, ' ').trim()
  return `${start > 0 ? '…' : ''}${middle}${end < text.length ? '…' : ''}`
}

/** Lines that can't be used are left out; whoever resumes the session hears of them. */
function eventOf(line: string): SessionEvent | undefined {
  const value = parse(line)
  if (eventProblem(value) !== undefined) return undefined
  const event = value as SessionEvent
  if (event.type === 'result') return resultProblem({ ...event.result }) === undefined ? event : undefined
  if (event.type !== 'message') return event
  const { message } = event
  const calls = message.role === 'tool' && Array.isArray(message.results) ? message.results.map(callIdOf) : []
  return messageProblem(message, calls) === undefined ? event : undefined
}

function callIdOf(result: unknown): unknown {
  return isMap(result) ? result['callId'] : undefined
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
