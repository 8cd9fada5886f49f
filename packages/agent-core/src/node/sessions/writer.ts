import { closeSync, fdatasync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { SessionWriter } from '../../types.js'

const datasync = promisify(fdatasync)

/**
 * Writes lines behind a log that is open. They are with the system when `append` returns, so they survive this process; after
 * `sync` they survive the machine.
 * @param size of the log so far
 */
export function lineWriter(handle: number, size: number, file: string, release: () => void): SessionWriter {
  let length = size
  let isNamed = false
  return {
    append(events) {
      const bytes = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
      try {
        writeAll(handle, bytes)
      } catch (error) {
        undo(handle, length)
        throw error
      }
      length += bytes.length
    },
    async sync() {
      await datasync(handle)
      if (!isNamed) syncFolder(dirname(file))
      isNamed = true
    },
    async close() {
      try {
        closeSync(handle)
      } finally {
        release()
      }
    },
  }
}

/** A full disk may take only a part. */
export function writeAll(handle: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at)
}

/** Half a line would spoil whatever comes behind it. */
function undo(handle: number, length: number): void {
  try {
    ftruncateSync(handle, length)
  } catch {
    // It is the last line then, and left out when the log is read.
  }
}

/** So that the new name survives a crash. Some systems can't, and then it may not. */
export function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  } catch {}
}
