import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { TaskFiles } from '../tasks/files.js'

/** A task that puts out more than this has lost its way. */
const MAX_BYTES = 256 * 1024 * 1024
const KEPT_MS = 7 * 24 * 60 * 60 * 1000

/**
 * Keeps output of tasks that is too long for memory in a folder, a file for each, for the eyes of the person alone.
 * Those that nobody has written to for a week are removed.
 * @param folder absolute, and for this alone; made when it is needed
 */
export function taskFiles(folder: string): TaskFiles {
  return {
    open(session, task) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      removeOld(folder)
      const path = join(folder, `${encodeURIComponent(session.id)}-${task}.log`)
      // Never one that is there: it may be a link to something of somebody else.
      const file = openSync(path, 'wx', 0o600)
      let room = MAX_BYTES
      return {
        path,
        write(text) {
          const bytes = Buffer.from(text)
          if (bytes.length > room) throw new Error(`it is longer than ${MAX_BYTES} bytes`)
          room -= bytes.length
          writeSync(file, bytes)
        },
        close: () => closeSync(file),
      }
    },
  }
}

/** What can't be removed stays. */
function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!/-task-\d+\.log$/.test(name)) continue
    const path = join(folder, name)
    try {
      // With `bigint`, since Node takes a pipe in the plain result for the end of a path that it resolves next.
      if (Date.now() - Number(statSync(path, { bigint: true }).mtimeMs) > KEPT_MS) rmSync(path)
    } catch {
      // Somebody else was quicker.
    }
  }
}
