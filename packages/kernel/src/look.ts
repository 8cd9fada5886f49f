import { settleAll } from './settle.js'
import type { FilesPort, FolderLook, FolderOptions, HeadLook, HeadOptions } from './types.js'

/** Open files are limited; more at once is no faster. */
const AT_ONCE = 32

/**
 * What many folders hold, in the order in which they are named. With `bulk` of the port it costs no promise for each;
 * without it, every item may be a link, and no folder has a stamp.
 */
export async function lookAtFolders(
  files: FilesPort,
  folders: readonly string[],
  options: FolderOptions = {},
): Promise<readonly FolderLook[]> {
  if (files.bulk) return files.bulk.listAll(folders, options)
  return each(folders, async (path): Promise<FolderLook> => {
    const items = await files.list(path)
    if (!items) return { state: 'failed' }
    return { state: 'listed', items: items.map((item) => ({ ...item, link: true })), stamp: undefined }
  })
}

/** The beginnings of many files. As {@link lookAtFolders}; without `bulk` of the port whole files are read for them. */
export async function lookAtHeads(
  files: FilesPort,
  heads: readonly string[],
  options: HeadOptions,
): Promise<readonly HeadLook[]> {
  if (files.bulk) return files.bulk.readHeads(heads, options)
  const { maxBytes } = options
  return each(heads, async (path): Promise<HeadLook> => {
    const read = await files.readText(path, maxBytes === undefined ? {} : { maxBytes })
    if (read.failure) return { state: 'failed', failure: read.failure, message: read.message }
    const bytes = new TextEncoder().encode(read.text)
    const end = options.end(bytes, true)
    // A slice of the text would keep all of it in memory.
    const text = end === undefined ? read.text : new TextDecoder().decode(bytes.subarray(0, end))
    return { state: 'read', text, stamp: undefined }
  })
}

/** A port that throws breaks its promise, and so the whole look fails. */
async function each<T, R>(items: readonly T[], look: (item: T) => Promise<R>): Promise<readonly R[]> {
  const looks = await settleAll(items, look, { limit: AT_ONCE })
  return looks.map((result) => {
    if (result.status === 'failed') throw result.error
    return result.value
  })
}
