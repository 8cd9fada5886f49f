import { contentKind, HEAD_BYTES } from '../files/content-kind.js'
import { toLf } from '../files/find-text.js'
import type { FileHost } from '../files/host.js'
import { decode, formatOf } from '../files/text-format.js'

export type Searchable =
  | { readonly text: string; readonly skipped?: undefined }
  | { readonly text?: undefined; readonly skipped: 'binary' | 'large' | 'unreadable' }

/** Enough to know what most files are, and all of a small one. */
const FIRST_BYTES = 64 * 1024

/** The text of a file, its line breaks as `\n`, or why it is not searched. A large file is not read. */
export async function searchableText(path: string, { files, limits }: FileHost): Promise<Searchable> {
  const read = await files.read(path, async ({ stat: { size }, read }): Promise<Searchable> => {
    if (size > limits.searchBytes) return { skipped: 'large' }
    const first = await read(0, Math.min(FIRST_BYTES, limits.searchBytes))
    if (contentKind(first.subarray(0, HEAD_BYTES)).kind !== 'text') return { skipped: 'binary' }
    const bytes = first.length < Math.min(FIRST_BYTES, size) || size <= first.length ? first : await read(0, size)
    return { text: toLf(decode(bytes, formatOf(bytes))) }
  })
  return read.failure === undefined ? read.value : { skipped: 'unreadable' }
}
