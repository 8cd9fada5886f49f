import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { isMap, messageOf } from '@ext/kernel'
import { nodeEditFiles, nodeFiles } from '@ext/kernel/node'
import type { ServerId } from '../types.js'

/** Servers with hundreds of tools have definitions of megabytes. */
const MAX_BYTES = 64 * 1024 * 1024

/** What is kept of servers: JSON files that only their owner can read, one for each server, replaced in one step. */
export interface ServerFiles {
  /**
   * @returns `undefined` for a server without a file
   * @throws Error for a file that can't be read
   */
  read(server: ServerId): Promise<{ readonly value: unknown; readonly path: string } | undefined>
  /** @throws Error */
  write(server: ServerId, value: object): Promise<void>
}

/** @param folder absolute path; made when it is needed */
export function serverFiles(folder: string): ServerFiles {
  const files = nodeFiles()
  const edit = nodeEditFiles({ maxBytes: MAX_BYTES })
  return {
    async read(server) {
      const path = fileOf(folder, server)
      const read = await files.readText(path, { maxBytes: MAX_BYTES })
      if (read.failure === 'missing') return undefined
      if (read.failure !== undefined) throw new Error(read.message)
      try {
        return { value: JSON.parse(read.text), path }
      } catch (error) {
        throw new Error(`${path} is no JSON: ${messageOf(error)}`)
      }
    },
    async write(server, value) {
      const text = `${JSON.stringify({ version: 1, server: server.name, ...value }, null, 2)}\n`
      const { failure } = await edit.edit(fileOf(folder, server), async () => text)
      if (failure !== undefined) throw new Error(failure)
    },
  }
}

/** Whether a value is what {@link ServerFiles.write} writes. */
export function isOfThisVersion(value: unknown): value is Readonly<Record<string, unknown>> {
  return isMap(value) && value['version'] === 1
}

/** The hash tells servers of one name apart, also where the file system does not look at upper and lower case. */
function fileOf(folder: string, { name, source }: ServerId): string {
  const place = JSON.stringify([name, source.layer, source.file ?? source.name ?? ''])
  return join(folder, `${name}-${createHash('sha256').update(place).digest('hex').slice(0, 12)}.json`)
}
