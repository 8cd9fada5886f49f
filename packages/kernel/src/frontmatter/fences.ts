/** A text, divided at its fences. */
export interface FrontmatterSplit {
  /** The YAML between the fences. */
  readonly header: string
  /** Offset of the header in the whole text. */
  readonly headerStart: number
  /** Everything after the closing fence's line break, byte for byte. */
  readonly body: string
}

/** Why a text has no header that could be read. */
export interface FrontmatterProblem {
  readonly code: 'frontmatter.missing' | 'frontmatter.unclosed' | 'frontmatter.engine'
  readonly message: string
  readonly hint: string
}

/**
 * Finds the header. The fence is a line that is exactly `---` in column 0 and the first line of the file; only such a
 * line closes it, so `---` inside values and block scalars is text. LF and CRLF are equal; byte order marks at the start are skipped.
 */
export function splitFrontmatter(text: string): FrontmatterSplit | FrontmatterProblem {
  let start = 0
  // Some editors put a second one before the first.
  while (text[start] === '\uFEFF') start++
  const firstEnd = lineEnd(text, start)
  const first = text.slice(start, firstEnd.content)
  if (first !== '---') {
    if (/^---[ \t]*\r/.test(first)) {
      return {
        code: 'frontmatter.missing',
        message: 'The lines of the file end with CR alone, which is no line break here.',
        hint: 'Save the file with LF or CRLF as line breaks.',
      }
    }
    if (/^---\s*\p{L}/u.test(first)) {
      return {
        code: 'frontmatter.engine',
        message: `The opening fence is ${JSON.stringify(first.slice(0, 40))}, not ---.`,
        hint: 'Use a plain ---; the header is always YAML.',
      }
    }
    return {
      code: 'frontmatter.missing',
      message: 'The file does not start with a line that is exactly ---.',
      hint: first.trim().startsWith('---')
        ? `Write --- instead of ${JSON.stringify(first.slice(0, 40))}, without anything around it.`
        : 'Start the file with ---, then the fields, then another line ---.',
    }
  }
  let lineStart = firstEnd.next
  while (lineStart < text.length) {
    const end = lineEnd(text, lineStart)
    if (end.content === lineStart + 3 && text.startsWith('---', lineStart)) {
      return { header: text.slice(firstEnd.next, lineStart), headerStart: firstEnd.next, body: text.slice(end.next) }
    }
    lineStart = end.next
  }
  return {
    code: 'frontmatter.unclosed',
    message: 'The header that opens here is never closed by a line that is exactly ---.',
    hint: 'Add a line --- after the last field, without blanks around it.',
  }
}

/** As most headers begin and end in a text that was cut behind them. */
export const OPENING = '---\n'
export const CLOSING = '\n---\n'

const FEED = 10
const RETURN = 13
const DASH = 45

/**
 * Where the header of a file ends, in bytes, with the line break behind its closing fence: the same answer as that of
 * {@link splitFrontmatter}, before the rest of the file is read. A file that starts with no fence ends with its first line.
 * @returns `undefined` if the bytes do not show it
 */
export function headerEnd(bytes: Uint8Array, whole: boolean): number | undefined {
  let start = 0
  while (bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf) start += 3
  // It may be the beginning of a byte order mark.
  if (bytes.length < start + 3 && !whole) return undefined
  const first = fenceAt(bytes, start, whole)
  if (first === 'open') return undefined
  if (first === 'none') return nextLine(bytes, start) ?? endOfCharacters(bytes)
  for (let line: number | undefined = first; line !== undefined && line < bytes.length; line = nextLine(bytes, line)) {
    if (bytes[line] !== DASH) continue
    const fence = fenceAt(bytes, line, whole)
    if (fence === 'open') return undefined
    if (fence !== 'none') return fence
  }
  return undefined
}

/** Headers are short, and a loop that is as tight as this takes less than a search through the library. */
function nextLine(bytes: Uint8Array, from: number): number | undefined {
  for (let at = from; at < bytes.length; at++) if (bytes[at] === FEED) return at + 1
  return undefined
}

/** Where the line after a fence starts; `open` if the bytes end too early to say. */
function fenceAt(bytes: Uint8Array, line: number, whole: boolean): number | 'none' | 'open' {
  for (let at = line; at < line + 3; at++) {
    if (bytes[at] === DASH) continue
    return at >= bytes.length && !whole ? 'open' : 'none'
  }
  const end = line + 3
  if (end >= bytes.length) return whole ? end : 'open'
  if (bytes[end] === FEED) return end + 1
  if (bytes[end] !== RETURN) return 'none'
  if (end + 1 >= bytes.length && !whole) return 'open'
  return bytes[end + 1] === FEED ? end + 2 : 'none'
}

/** Without the beginning of a character at the end. */
function endOfCharacters(bytes: Uint8Array): number {
  let lead = bytes.length - 1
  while (lead > 0 && lead > bytes.length - 4 && ((bytes[lead] ?? 0) & 0xc0) === 0x80) lead--
  const byte = bytes[lead] ?? 0
  const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
  return lead + length > bytes.length ? Math.max(lead, 0) : bytes.length
}

/** End of the line that starts at `from`: without its break, and after it. */
function lineEnd(text: string, from: number): { readonly content: number; readonly next: number } {
  const feed = text.indexOf('\n', from)
  if (feed === -1) return { content: text.length, next: text.length }
  return { content: text[feed - 1] === '\r' && feed > from ? feed - 1 : feed, next: feed + 1 }
}
