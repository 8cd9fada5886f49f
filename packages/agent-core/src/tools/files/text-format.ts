/** How the characters of a file are stored. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

export interface TextFormat {
  readonly encoding: Encoding
  /** Length of the byte order mark, 0 without one. */
  readonly mark: 0 | 2 | 3
}

/** What the first bytes say. UTF-16 is known by its byte order mark alone. */
export function formatOf(head: Uint8Array): TextFormat {
  const [a, b, c, d] = head
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: 'utf-8', mark: 3 }
  if (a === 0xff && b === 0xfe && !(c === 0 && d === 0)) return { encoding: 'utf-16le', mark: 2 }
  if (a === 0xfe && b === 0xff) return { encoding: 'utf-16be', mark: 2 }
  return { encoding: 'utf-8', mark: 0 }
}

/** In words for the model; `undefined` for plain UTF-8. */
export function describeFormat({ encoding, mark }: TextFormat): string | undefined {
  if (mark === 0) return undefined
  return `${encoding.toUpperCase()} with a byte order mark, which stays when the file is changed`
}

/** The text without its byte order mark; bytes that are none of a character become U+FFFD. */
export function decode(bytes: Uint8Array, { encoding, mark }: TextFormat): string {
  return new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes.subarray(mark))
}

/** A text that can be changed without touching anything else of its file. */
export interface EditableText {
  readonly text: string
  /** The characters of the model as they stand in `text`; `undefined` when the file can't hold them. */
  toFile(text: string): string | undefined
  /** The whole file. */
  encode(text: string): Uint8Array
}

/**
 * Opens a file for a change. One that is no valid UTF-8 is taken byte by byte, so that what is not changed stays as it is.
 * @returns `undefined` for UTF-16 that is not valid
 */
export function openText(bytes: Uint8Array): EditableText | undefined {
  const format = formatOf(bytes)
  const body = bytes.subarray(format.mark)
  const mark = bytes.subarray(0, format.mark)
  const text = decodeStrictly(body, format.encoding)
  if (text !== undefined) {
    return {
      text,
      toFile: (text) => (isWhole(text) ? text : undefined),
      encode: (next) => join(mark, format.encoding === 'utf-8' ? encodeUtf8(next) : encodeUtf16(next, format.encoding)),
    }
  }
  if (format.encoding !== 'utf-8') return undefined
  return {
    text: toUnits(body),
    // A letter beyond ASCII would be one of another encoding than its neighbours.
    toFile: (text) => (/^[\0-\x7f]*$/.test(text) ? text : undefined),
    encode: (next) => join(mark, fromUnits(next)),
  }
}

function decodeStrictly(bytes: Uint8Array, encoding: Encoding): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Half of a surrogate pair is no character, and no file can hold it. */
export function isWhole(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}

export function encodeUtf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function encodeUtf16(text: string, encoding: 'utf-16le' | 'utf-16be'): Uint8Array {
  const bytes = new Uint8Array(text.length * 2)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at), encoding === 'utf-16le')
  return bytes
}

function join(start: Uint8Array, end: Uint8Array): Uint8Array {
  const all = new Uint8Array(start.length + end.length)
  all.set(start)
  all.set(end, start.length)
  return all
}

/** A character for each byte. */
export function toUnits(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += 8192) parts.push(String.fromCharCode(...bytes.subarray(at, at + 8192)))
  return parts.join('')
}

function fromUnits(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
}
