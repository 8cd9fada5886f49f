import type { SessionRef } from '@ext/kernel/contract'

/** A file as the model knows it. */
export interface KnownFile {
  readonly version: string
  /** Of the whole content; `undefined` when the file was too large to be read as a whole. */
  readonly content: Fingerprint | undefined
}

export interface Fingerprint {
  readonly sha256: string
  /** A number for each line, to find out which ones have changed. */
  readonly lines: Uint32Array
}

/** More files than a session works on; the one that was used least recently is forgotten, and has to be read again. */
const MAX_FILES = 500

/**
 * What each session has read. It is held by the session itself: once nobody knows the session any more, what it has read is
 * gone, and one that is cleared begins with nothing.
 */
export class ReadFiles {
  readonly #bySession = new WeakMap<SessionRef, Map<string, KnownFile>>()

  /** @param path where the file really is */
  get(session: SessionRef, path: string): KnownFile | undefined {
    return this.#bySession.get(session)?.get(path)
  }

  set(session: SessionRef, path: string, known: KnownFile): void {
    const files = this.#bySession.get(session) ?? new Map<string, KnownFile>()
    this.#bySession.set(session, files)
    files.delete(path)
    files.set(path, known)
    const [oldest] = files.keys()
    if (files.size > MAX_FILES && oldest !== undefined) files.delete(oldest)
  }
}

export async function fingerprint(bytes: Uint8Array): Promise<Fingerprint> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))
  const sha256 = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return { sha256, lines: lineNumbers(bytes) }
}

/** FNV-1a of each line. Two lines with one number are told apart by the hash of the whole. */
function lineNumbers(bytes: Uint8Array): Uint32Array {
  const numbers: number[] = []
  let hash = 0x811c9dc5
  for (const byte of bytes) {
    if (byte === 0x0a) {
      numbers.push(hash)
      hash = 0x811c9dc5
    } else {
      hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
    }
  }
  if (bytes.length > 0 && bytes.at(-1) !== 0x0a) numbers.push(hash)
  return Uint32Array.from(numbers)
}

/** In words, which lines are not what they were. */
export function whatChanged(before: Uint32Array, now: Uint32Array): string {
  const most = Math.min(before.length, now.length)
  let start = 0
  while (start < most && before[start] === now[start]) start++
  let end = 0
  while (end < most - start && before[before.length - 1 - end] === now[now.length - 1 - end]) end++
  const [old, fresh] = [before.length - start - end, now.length - start - end]
  if (old === 0 && fresh === 0) return 'its last line break'
  const lines = (count: number) => `${count} line${count === 1 ? '' : 's'}`
  if (fresh === 0) return `${lines(old)} behind line ${start} ${old === 1 ? 'is' : 'are'} gone`
  const where = fresh === 1 ? `line ${start + 1}` : `lines ${start + 1} to ${start + fresh}`
  return old === 0
    ? `${where} ${fresh === 1 ? 'is' : 'are'} new`
    : `${where} ${fresh === 1 ? 'has' : 'have'} taken the place of ${lines(old)}`
}
