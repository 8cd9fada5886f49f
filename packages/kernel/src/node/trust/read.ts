import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, lstat, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { messageOf } from '../../errors.js'
import type { Approval } from '../../trust/types.js'
import type { Diagnostic } from '../../types.js'
import { accessFault, corruptFault, linkFault, readFault, sizeFault, versionFault } from './faults.js'
import { MAX_STORE_BYTES, type ParsedStore, parseStore } from './format.js'

/** What is on disk. The `stamp` changes whenever the file is written or replaced. */
export type StoredState =
  | { readonly kind: 'absent'; readonly stamp: string }
  | { readonly kind: 'good'; readonly stamp: string; readonly approvals: readonly Approval[] }
  /** Makes way for a new file when something is approved. */
  | { readonly kind: 'corrupt'; readonly stamp: string; readonly fault: Diagnostic }
  /** Stays as it is until somebody has looked at it. */
  | { readonly kind: 'refused'; readonly fault: Diagnostic }

const ABSENT = 'absent'

/** Reads the file, and believes it only if nobody else can have written it. */
export async function readStored(file: string): Promise<StoredState> {
  const refused = (fault: Diagnostic): StoredState => ({ kind: 'refused', fault })
  let handle: FileHandle | undefined
  try {
    const folder = dirname(file)
    const folderFault = accessFault(folder, await stat(folder, { bigint: true }), 'folder')
    if (folderFault) return refused(folderFault)
    if ((await lstat(file)).isSymbolicLink()) return refused(linkFault(file))
    // It may be another file by now, so everything else is asked of the one that is open.
    handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    const info = await handle.stat({ bigint: true })
    if (!info.isFile()) return refused(readFault(file, 'it is not a file'))
    const fileFault = accessFault(file, info, 'file')
    if (fileFault) return refused(fileFault)
    if (info.size > MAX_STORE_BYTES) return refused(sizeFault(file, MAX_STORE_BYTES))
    const stamp = stampOf(info)
    const parsed = parseBytes(await handle.readFile())
    if (parsed.fault === undefined) return { kind: 'good', stamp, approvals: parsed.approvals }
    if (parsed.fault === 'version') return refused(versionFault(file, parsed.message))
    return { kind: 'corrupt', stamp, fault: corruptFault(file, parsed.message) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { kind: 'absent', stamp: ABSENT }
    return refused(code === 'ELOOP' ? linkFault(file) : readFault(file, code ?? messageOf(error)))
  } finally {
    await handle?.close()
  }
}

/** To be compared with the stamp of what was read. */
export async function currentStamp(file: string): Promise<string> {
  try {
    return stampOf(await lstat(file, { bigint: true }))
  } catch {
    return ABSENT
  }
}

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
}

function parseBytes(bytes: Uint8Array): ParsedStore {
  try {
    return parseStore(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return { fault: 'corrupt', message: 'it is not UTF-8' }
  }
}
