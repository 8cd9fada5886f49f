import { open, readdir } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { suggest } from '@ext/kernel'
import type { Io } from '../../io.js'
import { printable } from '../../render/words.js'
import { openServers } from './open.js'
import { serversOf } from './records.js'

export interface LogsOptions {
  readonly project: string
  readonly follow?: boolean
  readonly lines: number
  readonly json?: boolean
}

const POLL_MS = 200
const ENDING = '.log'
/** Behind the name of a file that has become too long, in place of the one before. */
const BEFORE = '.1'

/** Shows what a server has written to stderr in all runs so far; with `follow`, also what it writes from now on. */
export async function logs(name: string, options: LogsOptions, io: Io): Promise<number> {
  const { logFileOf } = await import('@ext/mcp-client/node')
  const { snapshot, locations } = await openServers(options, io)
  const folder = locations.mcp.logs
  const written = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith(ENDING))
  const known = new Set([
    ...serversOf(snapshot).map((record) => record.name),
    ...written.map((file) => file.slice(0, -ENDING.length)),
  ])
  if (!known.has(name)) {
    const meant = suggest(name, known)
    const rest = meant ? `Did you mean \`${meant}\`?` : 'Run ext mcp list to see the servers.'
    io.err(printable(`ext: There is no server \`${name}\`, and nothing of that name was ever written down. ${rest}`))
    return 2
  }
  const file = logFileOf(folder, name)
  const { text, end } = await readFrom(file, 0)
  const lines = linesOf(text).slice(-options.lines)
  if (lines.length < options.lines) {
    const before = linesOf((await readFrom(`${file}${BEFORE}`, 0)).text)
    lines.unshift(...before.slice(lines.length - options.lines))
  }
  if (options.json) {
    io.out(JSON.stringify({ server: name, file, lines }, null, 2))
    return 0
  }
  for (const line of lines) io.out(printable(line))
  if (lines.length === 0) io.err(printable(`ext: \`${name}\` has written nothing yet.`))
  if (options.follow) await follow(file, end, io)
  return 0
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}

interface Read {
  readonly text: string
  /** Where the next line starts. */
  readonly end: number
}

/** Whole lines from an offset on. A file that is shorter than that is a new one. */
async function readFrom(file: string, offset: number): Promise<Read> {
  const handle = await open(file, 'r').catch(() => undefined)
  if (!handle) return { text: '', end: 0 }
  try {
    const { size } = await handle.stat()
    const start = size < offset ? 0 : offset
    const buffer = Buffer.alloc(size - start)
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, start)
    // The writer may be in the middle of a line.
    const whole = buffer.subarray(0, bytesRead).lastIndexOf(10) + 1
    return { text: buffer.toString('utf8', 0, whole), end: start + whole }
  } finally {
    await handle.close()
  }
}

/** Until the person has seen enough. */
async function follow(file: string, from: number, io: Io): Promise<void> {
  let end = from
  while (!io.signal.aborted) {
    const next = await readFrom(file, end)
    for (const line of linesOf(next.text)) io.out(printable(line))
    end = next.end
    // It rejects when the signal aborts, which the loop asks for itself.
    await setTimeout(POLL_MS, undefined, { signal: io.signal }).catch(() => {})
  }
}
