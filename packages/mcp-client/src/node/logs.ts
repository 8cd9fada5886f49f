import { appendFile, mkdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '@ext/kernel'
import type { LogLevel } from '../types.js'

export interface NodeLogsOptions {
  /** Absolute path; made when it is needed. */
  readonly folder: string
  /** How long a file may get; then it becomes `<server>.log.1`, in place of the one before. Default 1 MiB. */
  readonly maxBytes?: number
  /** Hears, once, that the logs can't be written. */
  readonly report?: (message: string) => void
}

/** What servers write to stderr, and what they log over MCP, as files. */
export interface NodeLogs {
  /** Fits `onLog` of the client. Returns at once; lines are written in the background and in order. */
  readonly onLog: (server: string, line: string, level?: LogLevel) => void
  /** Resolves once all lines are written. */
  close(): Promise<void>
}

const MAX_BYTES = 1024 * 1024
/** Kept in memory while the disk is slow; more is dropped, and the log says so. */
const MAX_WAITING = 4 * 1024 * 1024

function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}

/** The file that the lines of a server are in. */
export function logFileOf(folder: string, server: string): string {
  return join(folder, `${server}.log`)
}

/** Writes what servers say into files that only their owner can read, one for each server. */
export function nodeLogs({ folder, maxBytes = MAX_BYTES, report = () => {} }: NodeLogsOptions): NodeLogs {
  const waiting = new Map<string, { text: string; dropped: number }>()
  let writing: Promise<void> | undefined
  let failed = false

  async function write(): Promise<void> {
    for (let next = waiting.entries().next(); !next.done; next = waiting.entries().next()) {
      const [server, { text, dropped }] = next.value
      waiting.delete(server)
      const note =
        dropped === 0 ? '' : `[${dropped} lines were dropped, because they came faster than they could be written]\n`
      try {
        await append(logFileOf(folder, server), text + note)
      } catch (error) {
        if (!failed) report(`The logs of MCP servers can't be written: ${messageOf(error)}.`)
        failed = true
      }
    }
    writing = undefined
  }

  async function append(path: string, text: string): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const size = await stat(path).then(
      (found) => found.size,
      () => 0,
    )
    // Another program that writes the same log may have done it just now.
    if (size > 0 && size + text.length > maxBytes) await rename(path, `${path}.1`).catch(ignoreMissing)
    await appendFile(path, text, { mode: 0o600 })
  }

  return {
    onLog(server, line, level) {
      if (failed) return
      const held = waiting.get(server) ?? { text: '', dropped: 0 }
      if (held.text.length + line.length > MAX_WAITING) held.dropped++
      else held.text += `${new Date().toISOString()} ${level === undefined ? '' : `[${level}] `}${line}\n`
      waiting.set(server, held)
      writing ??= write()
    },
    async close() {
      await writing
    },
  }
}
