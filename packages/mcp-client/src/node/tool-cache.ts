import type { CachedTools, ToolCache } from '../types.js'
import { isOfThisVersion, serverFiles } from './server-files.js'

/**
 * Keeps what lazy servers say of their tools in files that only their owner can read, one for each server, replaced in one
 * step. What an entry starts or reaches is in there as a hash only.
 * @param options.folder absolute path; made when it is needed
 */
export function nodeToolCache({ folder }: { readonly folder: string }): ToolCache {
  const files = serverFiles(folder)
  return {
    async read(server) {
      const file = await files.read(server)
      return file && toolsIn(file.value, file.path)
    },
    write: (server, tools) => files.write(server, tools),
  }
}

function toolsIn(value: unknown, path: string): CachedTools {
  if (isOfThisVersion(value)) {
    const { at, endpoint, tools, cut, mirrors, resources, instructions } = value
    if (typeof at === 'number' && typeof endpoint === 'string' && Array.isArray(tools)) {
      return {
        at,
        endpoint,
        tools,
        ...(typeof cut === 'string' ? { cut } : {}),
        ...(mirrors === true ? { mirrors } : {}),
        ...(resources === true ? { resources } : {}),
        ...(typeof instructions === 'string' ? { instructions } : {}),
      }
    }
  }
  throw new Error(`${path} is not a file of known tools of this version`)
}
