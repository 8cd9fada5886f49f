import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { SpillPort } from '../types.js'

export interface NodeSpillOptions {
  /** Absolute path; made when it is needed. It should hold nothing else: old files in it are deleted. */
  readonly folder: string
  /** How many bytes the folder may hold; beyond that the oldest files go. Default 1 GiB. */
  readonly maxBytes?: number
}

const MAX_BYTES = 1024 ** 3

const ENDINGS: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/pdf': 'pdf',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'image/gif': 'gif',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/markdown': 'md',
  'text/plain': 'txt',
}

/** Keeps what is too large for a conversation in files that only their owner can read. */
export function nodeSpill({ folder, maxBytes = MAX_BYTES }: NodeSpillOptions): SpillPort {
  return {
    async keep({ server, tool, mimeType, data }) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      // A server chooses names of tools and types, so neither is used as it is.
      const [type = ''] = mimeType.split(';')
      const ending = ENDINGS[type.trim().toLowerCase()] ?? 'bin'
      const name = `${plain(server)}-${plain(tool)}-${randomUUID().slice(0, 8)}.${ending}`
      const path = join(folder, name)
      await writeFile(path, data, { mode: 0o600, flag: 'wx' })
      await prune(folder, maxBytes, name)
      return { uri: pathToFileURL(path).href, path }
    },
  }
}

function plain(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40)
}

/** Deletes the oldest files until the others fit. The one that was just written stays in any case. */
async function prune(folder: string, maxBytes: number, newest: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  const files = await Promise.all(
    names.map(async (name) => {
      const found = await stat(join(folder, name)).catch(() => undefined)
      return { name, bytes: found?.isFile() ? found.size : 0, at: name === newest ? Infinity : (found?.mtimeMs ?? 0) }
    }),
  )
  let room = maxBytes
  for (const { name, bytes } of files.sort((a, b) => b.at - a.at)) {
    room -= bytes
    if (room < 0 && bytes > 0 && name !== newest) await rm(join(folder, name), { force: true })
  }
}
