import { isMap } from '@ext/kernel'
import type { PinnedTools, PinsPort } from '../types.js'
import { isOfThisVersion, serverFiles } from './server-files.js'

/**
 * Keeps approved definitions in files that only their owner can read, one for each server, replaced in one step.
 * @param options.folder absolute path; made when it is needed
 */
export function nodePins({ folder }: { readonly folder: string }): PinsPort {
  const files = serverFiles(folder)
  return {
    async read(server) {
      const file = await files.read(server)
      return file && pinsIn(file.value, file.path)
    },
    write: (server, tools) => files.write(server, { tools }),
  }
}

function pinsIn(value: unknown, path: string): PinnedTools {
  if (!isOfThisVersion(value) || !isMap(value['tools'])) {
    throw new Error(`${path} is not a file of approved tools of this version`)
  }
  const tools = Object.entries(value['tools']).filter(
    ([, tool]) => isMap(tool) && typeof tool['description'] === 'string' && isMap(tool['inputSchema']),
  )
  return Object.fromEntries(tools) as PinnedTools
}
