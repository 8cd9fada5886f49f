import { type ConfigDocument, idOf, sourceOf, toDocument } from '../document/document.js'
import { SourceText } from '../text.js'
import type { Located, Source, SourceRef } from '../types.js'
import { CLOSING, OPENING, splitFrontmatter } from './fences.js'
import { type FlatValue, readFlat, readFlatValue, readPlain } from './flat.js'
import type { Frontmatter } from './frontmatter.js'

/** What {@link readSimpleHeader} takes, with its document. */
export function parseSimpleFrontmatter(text: string, source: SourceRef): Frontmatter | undefined {
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
