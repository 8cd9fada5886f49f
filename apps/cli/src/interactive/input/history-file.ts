import { appendFile, chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MOST } from './history.js'

/** Prompts of earlier sessions, a JSON text a line, for the eyes of their owner alone. */
export interface HistoryFile {
  /** The oldest first. What can't be read is left out. */
  read(): Promise<readonly string[]>
  /** Never rejects: nobody wants to lose a prompt because its copy can't be written. */
  add(text: string): Promise<void>
}

export function historyFile(path: string): HistoryFile {
  return {
    async read() {
      const content = await readFile(path, 'utf8').catch(() => '')
      const lines = content.split('\n').filter((line) => line !== '')
      const entries = lines.flatMap(parse).slice(-MOST)
      if (lines.length > 2 * MOST) await shorten(path, entries).catch(() => {})
      return entries
    },
    async add(text) {
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        await appendFile(path, `${JSON.stringify(text)}\n`, { mode: 0o600 })
      } catch {
        // See above.
      }
    },
  }
}

function parse(line: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'string' ? [value] : []
  } catch {
    return []
  }
}

async function shorten(path: string, entries: readonly string[]): Promise<void> {
  await writeFile(path, entries.map((text) => `${JSON.stringify(text)}\n`).join(''), { mode: 0o600 })
  await chmod(path, 0o600)
}
