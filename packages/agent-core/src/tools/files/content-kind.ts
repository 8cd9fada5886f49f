import { formatOf } from './text-format.js'

/** What a file holds, as far as its first bytes tell. */
export type ContentKind =
  | { readonly kind: 'text' }
  | { readonly kind: 'image'; readonly mimeType: string }
  | { readonly kind: 'binary'; readonly what: string }

/** How many bytes are looked at. */
export const HEAD_BYTES = 8192

const IMAGES: readonly (readonly [start: string, mimeType: string])[] = [
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
]

const BINARIES: readonly (readonly [start: string, what: string])[] = [
  ['%PDF-', 'a PDF document'],
  ['PK\x03\x04', 'a ZIP archive (or an office document, a JAR, …)'],
  ['\x1f\x8b', 'a gzip archive'],
  ['BZh', 'a bzip2 archive'],
  ['\xfd7zXZ\0', 'an xz archive'],
  ['7z\xbc\xaf\x27\x1c', 'a 7z archive'],
  ['\x28\xb5\x2f\xfd', 'a zstd archive'],
  ['\x7fELF', 'a program (ELF)'],
  ['\xcf\xfa\xed\xfe', 'a program (Mach-O)'],
  ['\xca\xfe\xba\xbe', 'a Java class or a program (Mach-O)'],
  ['MZ', 'a program (Windows)'],
  ['\0asm', 'a WebAssembly module'],
  ['SQLite format 3\0', 'an SQLite database'],
  ['OggS', 'a sound (Ogg)'],
  ['ID3', 'a sound (MP3)'],
  ['wOFF', 'a font'],
  ['wOF2', 'a font'],
]

export function contentKind(head: Uint8Array): ContentKind {
  const start = String.fromCharCode(...head.subarray(0, 16))
  const image = IMAGES.find(([magic]) => start.startsWith(magic))?.[1]
  if (image !== undefined) return { kind: 'image', mimeType: image }
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') return { kind: 'image', mimeType: 'image/webp' }
  const hasNul = formatOf(head).encoding === 'utf-8' && head.includes(0)
  // A text may well begin with MZ or BZh, so it takes a zero byte too, which not every document of the first two has.
  const what = BINARIES.find(([magic]) => start.startsWith(magic))?.[1]
  if (what !== undefined && (hasNul || start.startsWith('%PDF-') || start.startsWith('PK\x03\x04'))) {
    return { kind: 'binary', what }
  }
  return hasNul ? { kind: 'binary', what: 'binary data' } : { kind: 'text' }
}
