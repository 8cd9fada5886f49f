import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { isMap, messageOf } from '@ext/kernel'
import { nodeEditFiles, nodeFiles } from '@ext/kernel/node'
import type { PinnedTools, PinsPort, ServerId } from '../types.js'

/** Servers with hundreds of tools have definitions of megabytes. */
const MAX_BYTES = 64 * 1024 * 1024

/**
 * Keeps approved definitions in files that only their owner can read, one for each server, replaced in one step.
 * @param options.folder absolute path; made when it is needed
 */
export function nodePins({ folder }: { readonly folder: string }): PinsPort {
  const files = nodeFiles()
  const edit = nodeEditFiles({ maxBytes: MAX_BYTES })
  return {
    async read(server) {
      const path = fileOf(folder, server)
      const read = await files.readText(path, { maxBytes: MAX_BYTES })
      if (read.failure === 'missing') return undefined
      if (read.failure !== undefined) throw new Error(read.message)
      return parse(read.text, path)
    },
    async write(server, tools) {
      const text = `${JSON.stringify({ version: 1, server: server.name, tools }, null, 2)}\n`
      const { failure } = await edit.edit(fileOf(folder, server), async () => text)
      if (failure !== undefined) throw new Error(failure)
    },
  }
}

function parse(text: string, path: string): PinnedTools {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Error(`${path} is no JSON: ${messageOf(error)}`)
  }
  if (!isMap(value) || value['version'] !== 1 || !isMap(value['tools'])) {
    throw new Error(`${path} is not a file of approved tools of this version`)
  }
  const tools = Object.entries(value['tools']).filter(
    ([, tool]) => isMap(tool) && typeof tool['description'] === 'string' && isMap(tool['inputSchema']),
  )
  return Object.fromEntries(tools) as PinnedTools
}

/** The hash tells servers of one name apart, also where the file system does not look at upper and lower case. */
function fileOf(folder: string, { name, source }: ServerId): string {
  const place = JSON.stringify([name, source.layer, source.file ?? source.name ?? ''])
  return join(folder, `${name}-${createHash('sha256').update(place).digest('hex').slice(0, 12)}.json`)
}
