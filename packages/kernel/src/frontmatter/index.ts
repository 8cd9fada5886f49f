/**
 * The one splitter for files that start with a YAML header: skills, agents, instruction files (`@ext/kernel/frontmatter`).
 * @module
 */
import { diagnosticCodes } from '../codes.js'
import { createReporter } from '../diagnostic.js'
import { type ConfigDocument, idOf, type ParsedDocument, sourceOf, toDocument } from '../document/document.js'
import { parseYaml } from '../document/parse-yaml.js'
import type { Parsed } from '../document/parsed.js'
import { joinPointer } from '../pointer.js'
import { isMap, wrongShape } from '../reader.js'
import { SourceText } from '../text.js'
import type { Diagnostic, Located, Source, SourceRef } from '../types.js'
import { type FlatValue, readFlat, readFlatValue, readPlain } from './flat.js'
import { rescue } from './rescue.js'

const report = createReporter(diagnosticCodes)

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

/** A file with a header, read. */
export interface Frontmatter {
  /** The header as a document whose places are those of the whole file. Absent if there is no usable header. */
  readonly document?: ConfigDocument
  /** What follows the header, byte for byte; the whole text if no header was found. */
  readonly body: string
  readonly diagnostics: readonly Diagnostic[]
}

function parseSimpleFrontmatter(text: string, source: SourceRef): Frontmatter | undefined {
  const split = splitFrontmatter(text)
  const parsed = 'code' in split ? undefined : readFlat(split.header)
  if ('code' in split || !parsed) return undefined
  const { document } = toDocument(parsed, 'yaml', source, new SourceText(text), split.headerStart)
  return document && { document, body: split.body, diagnostics: [] }
}

/** What many files have in common. */
export interface FilesPlace extends Pick<SourceRef, 'layer' | 'dialect'> {
  /** Their paths start with it. */
  readonly before: string
  /** Their paths end with it. */
  readonly behind: string
}

/**
 * The header that {@link parseFrontmatter} finds, as an entry and at once: for whoever has thousands of files. It takes
 * headers whose lines are all `key: text`, as most are.
 * @param place the same object for many files
 * @returns `undefined` for any other file
 */
export function readSimpleHeader(text: string, file: string, place: FilesPlace): SimpleHeader | undefined {
  const value = readSimpleValue(text)
  return value && new SimpleHeader(text, file, place, value)
}

function readSimpleValue(text: string): FlatValue | undefined {
  // As `headerEnd` cuts most files: where the header ends is known, and no line of it can be a fence.
  if (text.startsWith(OPENING) && text.endsWith(CLOSING)) {
    const value = readPlain(text, OPENING.length, text.length - CLOSING.length + 1)
    if (value) return value
  }
  const split = splitFrontmatter(text)
  return 'code' in split ? undefined : readFlatValue(split.header)
}

const OPENING = '---\n'
const CLOSING = '\n---\n'

/** There may be thousands of them, so each keeps its text alone, and looks through it again when somebody asks. */
export class SimpleHeader implements Located<FlatValue> {
  readonly #text: string
  readonly #place: FilesPlace
  /** The path; once nothing of the value is kept, what is special of it. */
  #file: string
  /** With its document, once somebody has asked for a place: whoever has much to say of it asks often. */
  #value: FlatValue | WithPlaces | undefined

  constructor(text: string, file: string, place: FilesPlace, value: FlatValue) {
    this.#text = text
    this.#place = place
    this.#file = file
    this.#value = value
  }

  get file(): string {
    const { before, behind } = this.#place
    return this.#value ? this.#file : before + this.#file + behind
  }

  get id(): string {
    return idOf(this.source, '')
  }

  get source(): SourceRef {
    const { layer, dialect } = this.#place
    return { layer, dialect, file: this.file }
  }

  get pointer(): string {
    return ''
  }

  get value(): FlatValue {
    const value = this.#value ?? readOnceMore(readSimpleValue(this.#text))
    return value instanceof WithPlaces ? value.value : value
  }

  at(pointer?: string, part?: 'key' | 'value'): Source {
    const known = this.#value
    if (known instanceof WithPlaces) return known.document.at(pointer, part)
    const { document } = readOnceMore(parseSimpleFrontmatter(this.#text, this.source))
    if (!document) return sourceOf(this.source)
    if (known) this.#value = new WithPlaces(known, document)
    return document.at(pointer, part)
  }

  /** Lets go of whatever can be read again from the text. */
  settle(): void {
    if (!this.#value) return
    const { before, behind } = this.#place
    this.#file = keptOnce(this.#file.slice(before.length, this.#file.length - behind.length), this.value)
    this.#value = undefined
  }
}

class WithPlaces {
  readonly value: FlatValue
  readonly document: ConfigDocument

  constructor(value: FlatValue, document: ConfigDocument) {
    this.value = value
    this.document = document
  }
}

/** Many a folder is called like what is in it, and the name need not be kept twice. */
function keptOnce(name: string, value: FlatValue): string {
  for (const key in value) if (value[key] === name) return value[key]
  return name
}

function readOnceMore<T>(read: T | undefined): T {
  if (read === undefined) throw new TypeError('A text that was read once can be read again.')
  return read
}

/**
 * Splits a file and parses its header, which must be a map. Never throws.
 *
 * A header that YAML refuses because of `: ` in a text without quotes is read all the same, with the warning
 * `frontmatter.rescued`, if that is all that is wrong with it: on one line, at the top level, without ` #`.
 * @param options.restricting fields that take something away, in any case and with any of `-`, `_`, blanks or nothing between
 *   words. A header that holds one of them is never guessed at: it has an error and no document
 */
export async function parseFrontmatter(
  text: string,
  source: SourceRef,
  options: { readonly restricting?: readonly string[] } = {},
): Promise<Frontmatter> {
  const simple = parseSimpleFrontmatter(text, source)
  if (simple) return simple
  const split = splitFrontmatter(text)
  if ('code' in split) {
    const place: Source = { ...sourceOf(source), line: 1, column: 1 }
    return { body: text, diagnostics: [report.error(split.code, place, split.message, { hint: split.hint })] }
  }
  const { header, headerStart, body } = split
  const lines = new SourceText(text)
  const open = (parsed: Parsed) => toDocument(parsed, 'yaml', source, lines, headerStart)
  const parsed = await parseYaml(header)
  const asWritten = open(parsed)
  const rescued = asWritten.document ? undefined : await rescue(header)
  const { document, diagnostics } = rescued ? open(rescued.parsed) : asWritten
  if (!document) return { body, diagnostics }
  // A header without fields is an empty map, not the value null that YAML makes of it.
  const value = document.value ?? {}
  if (!isMap(value)) {
    const shape = wrongShape(document, '', 'a map of fields', value)
    return { body, diagnostics: [...diagnostics, shape] }
  }
  if (!rescued) return { document: document.value === value ? document : empty(open, parsed), body, diagnostics }
  const { restricting = [] } = options
  const limits = restricting.map(foldName)
  const limit = Object.keys(value).find((key) => limits.includes(foldName(key)))
  if (limit !== undefined) {
    return { body, diagnostics: [...asWritten.diagnostics, refusedRescue(document, limit)] }
  }
  const warnings = rescued.fields.map((key) => rescueWarning(document, key, value[key]))
  return { document, body, diagnostics: [...diagnostics, ...warnings] }
}

function empty(open: (parsed: Parsed) => ParsedDocument, parsed: Parsed): ConfigDocument {
  const { document } = open({ value: {}, problems: [], locate: (path, part) => parsed.locate(path, part) })
  if (!document) throw new TypeError('A header with a value has a document.')
  return document
}

function foldName(name: string): string {
  return name.toLowerCase().replace(/[-_\s]/g, '')
}

/** Longer texts are not repeated in a hint. */
const MAX_HINT = 200

function rescueWarning(document: ConfigDocument, key: string, value: unknown): Diagnostic {
  const pointer = joinPointer('', key)
  const message = `\`${key}\` holds a colon with a blank behind it, which starts another field in YAML; it is read as one text.`
  const quoted = `'${String(value).replaceAll("'", "''")}'`
  const hint = quoted.length > MAX_HINT ? 'Put the text between quotes.' : `Write ${key}: ${quoted}`
  return report.warning('frontmatter.rescued', document.at(pointer), message, { hint, pointer })
}

function refusedRescue(document: ConfigDocument, key: string): Diagnostic {
  const pointer = joinPointer('', key)
  const message = `The header is not valid YAML and \`${key}\` limits what may be done, so nothing is guessed.`
  const hint = 'Put texts that hold a colon with a blank behind it between quotes.'
  return report.error('frontmatter.rescue-refused', document.at(pointer, 'key'), message, { hint, pointer })
}
