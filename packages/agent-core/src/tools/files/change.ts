import type { SessionRef } from '@ext/kernel/contract'
import type { FileHost } from './host.js'
import { noFile, type Place } from './place.js'
import { fingerprint, whatChanged } from './read-files.js'
import { count } from './result.js'

/** A file that may be changed now, with its content. */
export type Changeable =
  | { readonly bytes: Uint8Array; readonly version: string; readonly problem?: undefined }
  | { readonly problem: string }

/** Opens a file that the session has read and nobody has changed since. */
export async function openForChange(place: Place, session: SessionRef, host: FileHost): Promise<Changeable> {
  const { shown, real } = place
  const missing = await noFile(place, session, host)
  if (missing !== undefined) return { problem: missing }
  const known = host.read.get(session, real)
  if (!known) return { problem: `\`${shown}\` has not been read in this session. Read it, then change it.` }
  const { editBytes } = host.limits
  const read = await host.files.read(real, async (file) => {
    const { size, version } = file.stat
    return size > editBytes ? size : { bytes: await file.read(0, editBytes + 1), version }
  })
  if (read.failure !== undefined) return { problem: `\`${shown}\`: ${read.message}` }
  const { value } = read
  if (typeof value === 'number') {
    return {
      problem: `\`${shown}\` has ${count(value, 'byte')}; files of up to ${count(editBytes, 'byte')} can be changed.`,
    }
  }
  const changed = await changeSince(known, value)
  return changed === undefined
    ? value
    : { problem: `\`${shown}\` has changed since it was read: ${changed}. Read it again, then change it.` }
}

/** What has changed, in words. A file that was only touched, or written with what it held, has not. */
async function changeSince(
  {
    version,
    content,
  }: { readonly version: string; readonly content: Awaited<ReturnType<typeof fingerprint>> | undefined },
  now: { readonly bytes: Uint8Array; readonly version: string },
): Promise<string | undefined> {
  if (!content) return version === now.version ? undefined : 'it was written by somebody else'
  const { sha256, lines } = await fingerprint(now.bytes)
  return sha256 === content.sha256 ? undefined : whatChanged(content.lines, lines)
}

/** Puts the new content in place. Gives what went wrong, if something did. */
export async function replaceFile(
  { real, shown }: Place,
  bytes: Uint8Array,
  expected: string,
  session: SessionRef,
  host: FileHost,
): Promise<string | undefined> {
  const replaced = await host.files.replace(real, bytes, { expected })
  if (replaced.outcome === 'replaced') {
    host.read.set(session, real, { version: replaced.stat.version, content: await fingerprint(bytes) })
    return undefined
  }
  const next = replaced.outcome === 'changed' ? ' Nothing was written. Read it again, then change it.' : ''
  return `\`${shown}\`: ${replaced.message}${next}`
}
