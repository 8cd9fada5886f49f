import { open, readdir } from 'node:fs/promises'
import { suggest } from '@ext/kernel'
import type { Io } from '../../io.js'
import { printable } from '../../render/words.js'
import { openServers, serversOf } from './open.js'

export interface LogsOptions {
  readonly project: string
  readonly follow?: boolean
  readonly lines: number
  readonly json?: boolean
}

const POLL_MS = 200
const ENDING = '.log'

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
  const all = text.split('\n').filter((line) => line !== '')
  const lines = all.slice(-options.lines)
  if (options.json) {
    io.out(JSON.stringify({ server: name, file, lines }, null, 2))
    return 0
  }
  for (const line of lines) io.out(printable(line))
  if (lines.length === 0) io.err(printable(`ext: \`${name}\` has written nothing yet.`))
  if (options.follow) await follow(file, end, io)
  return 0
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
    for (const line of next.text.split('\n')) if (line !== '') io.out(printable(line))
    end = next.end
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, POLL_MS)
      io.signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer)
          resolve()
        },
        { once: true },
      )
    })
  }
}
