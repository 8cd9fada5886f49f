import { diagnosticCodes } from '../codes.js'
import { createReporter } from '../diagnostic.js'
import { parsePointer } from '../pointer.js'
import { SourceText } from '../text.js'
import type {
  ConfigSource,
  Diagnostic,
  FileRecord,
  FilesPort,
  Located,
  ReadFailure,
  Source,
  SourceRef,
} from '../types.js'
import { type Locator, locateNearest, type Span } from './locate.js'
import { parseJson } from './parse-json.js'
import { parseYaml } from './parse-yaml.js'
import type { Parsed, Problem } from './parsed.js'

const report = createReporter(diagnosticCodes)

/** A parsed file or value whose parts know their place. */
export interface ConfigDocument {
  readonly value: unknown
  readonly source: SourceRef
  at(pointer?: string, part?: 'key' | 'value'): Source
  /** Wraps the part at `pointer`, so that it keeps its place wherever it travels. */
  located<T>(pointer: string, value: T): Located<T>
}

/** How a text is written. */
export type TextFormat = 'yaml' | 'json'

/** A document unless the text has a syntax error, and what there is to say about it. */
export interface ParsedDocument {
  readonly document?: ConfigDocument
  readonly diagnostics: readonly Diagnostic[]
}

/** Parses a text. Never throws: what is wrong with it is in the diagnostics. A byte order mark is skipped. */
export async function parseDocument(text: string, format: TextFormat, source: SourceRef): Promise<ParsedDocument> {
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text
  const parsed = await (format === 'json' ? parseJson : parseYaml)(content)
  return toDocument(parsed, format, source, new SourceText(content), 0)
}

/**
 * Builds a document from a parse of the part of `lines` that starts at `base`.
 * @internal used by frontmatter, whose YAML is a slice of a larger file
 */
export function toDocument(
  parsed: Parsed,
  format: TextFormat,
  source: SourceRef,
  lines: SourceText,
  base: number,
): ParsedDocument {
  const diagnostics =
    parsed.problems.length === 0
      ? NO_DIAGNOSTICS
      : parsed.problems.map((problem) => toDiagnostic(problem, format, (span) => placeOf(source, lines, base, span)))
  if (!('value' in parsed)) return { diagnostics }
  return { document: new TextDocument(parsed, source, lines, base), diagnostics }
}

const NO_DIAGNOSTICS: readonly Diagnostic[] = Object.freeze([])

function toDiagnostic(problem: Problem, format: TextFormat, place: (span: Span) => Source): Diagnostic {
  const { kind, span } = problem
  if (kind === 'comments') {
    return report.info('config.syntax.json-comments', place(span), 'The JSON holds comments or trailing commas.', {
      hint: 'It is read without them; remove them so that other programs can read the file too.',
    })
  }
  if (kind === 'duplicate-key') {
    const message = `\`${problem.key}\` stands twice in one map; this one is used and the other is lost.`
    return report.warning('config.syntax.duplicate-key', place(span), message, {
      hint: 'Remove one of the two, or join them.',
      related: [{ message: 'this one is lost', source: place(problem.first) }],
    })
  }
  const message = `Not valid ${format.toUpperCase()}: ${problem.message}.`
  return report.error(`config.syntax.${format}`, place(span), message, {
    hint: 'Fix the syntax at this place; as it is, nothing of this file is used.',
  })
}

/** There may be thousands of them, so each is one object and has functions only where somebody takes them along. */
class TextDocument implements ConfigDocument {
  readonly value: unknown
  readonly source: SourceRef
  readonly #parsed: Parsed
  readonly #lines: SourceText
  readonly #base: number

  constructor(parsed: Parsed, source: SourceRef, lines: SourceText, base: number) {
    this.value = parsed.value
    this.source = source
    this.#parsed = parsed
    this.#lines = lines
    this.#base = base
  }

  at(pointer = '', part: 'key' | 'value' = 'value'): Source {
    // An empty text has no node at all; its start is the place where everything is missing.
    const locate: Locator = (path, which) =>
      this.#parsed.locate(path, which) ?? (path.length === 0 ? [0, 0] : undefined)
    return placeOf(this.source, this.#lines, this.#base, locateNearest(locate, parsePointer(pointer), part))
  }

  located<T>(pointer: string, value: T): Located<T> {
    return located(this, pointer, value)
  }
}

/** The id of what stands at a place of a source. */
export function idOf({ layer, file, name }: SourceRef, pointer: string): string {
  return `${layer}:${file ?? name ?? ''}#${pointer}`
}

/** @internal for documents of other kinds */
export function located<T>(document: ConfigDocument, pointer: string, value: T): Located<T> {
  const { source } = document
  return {
    id: idOf(source, pointer),
    value,
    source,
    pointer,
    at: (relative = '', part) => document.at(pointer + relative, part),
  }
}

/** The document of a value that was never text. */
export function valueDocument(value: unknown, source: SourceRef): ConfigDocument {
  const document: ConfigDocument = {
    value,
    source,
    at: () => sourceOf(source),
    located: (pointer, part) => located(document, pointer, part),
  }
  return document
}

/** The source without a position. */
export function sourceOf(source: SourceRef): Source {
  return {
    layer: source.layer,
    ...(source.file === undefined ? {} : { file: source.file }),
    ...(source.name === undefined ? {} : { name: source.name }),
  }
}

function placeOf(source: SourceRef, lines: SourceText, base: number, span: Span | undefined): Source {
  const plain = sourceOf(source)
  if (!span) return plain
  const start = lines.position(base + span[0])
  const end = lines.position(base + span[1])
  return { ...plain, line: start.line, column: start.column, endLine: end.line, endColumn: end.column }
}

/** A document with the record of the file that it came from. */
export interface OpenedDocument extends ParsedDocument {
  /** Absent for values. */
  readonly record?: FileRecord
}

/** Reads and parses a file source, or wraps a value source. `.json` is read as JSON, anything else as YAML. */
export async function openDocument(source: ConfigSource, files: FilesPort): Promise<OpenedDocument> {
  if (source.kind === 'value') {
    const ref: SourceRef = { layer: source.layer, dialect: source.dialect, name: source.name }
    return { document: valueDocument(source.value, ref), diagnostics: [] }
  }
  const ref: SourceRef = { layer: source.layer, dialect: source.dialect, file: source.path }
  const record = (state: FileRecord['state']): FileRecord => ({
    file: source.path,
    layer: source.layer,
    dialect: source.dialect,
    state,
  })
  const read = await files.readText(source.path)
  if (read.failure === 'missing') {
    if (!(await isDanglingLink(source.path, files))) return { diagnostics: [], record: record('missing') }
    return { diagnostics: [danglingLink(ref)], record: record('failed') }
  }
  if (read.failure) {
    return { diagnostics: [readFailure(read.failure, read.message, ref)], record: record('failed') }
  }
  const parsed = await parseDocument(read.text, /\.json$/i.test(source.path) ? 'json' : 'yaml', ref)
  return { ...parsed, record: record(parsed.document ? 'read' : 'failed') }
}

/** Whoever put a link there means it to be read; a file that is not there at all is nobody's mistake. */
async function isDanglingLink(path: string, files: FilesPort): Promise<boolean> {
  const [, folder = '', name = ''] = /^(.*)[/\\](.*)$/.exec(path) ?? []
  const items = await files.list(folder === '' ? '/' : folder)
  return items?.some((item) => item.name === name && item.kind === 'other') ?? false
}

function danglingLink(source: SourceRef): Diagnostic {
  return report.error('config.file.dangling-link', sourceOf(source), 'The file is a link that leads nowhere.', {
    hint: 'Point it at a file, or remove it.',
  })
}

/** The diagnostic of a file that is there but could not be read. */
export function readFailure(failure: Exclude<ReadFailure, 'missing'>, message: string, source: SourceRef): Diagnostic {
  const hints = {
    unreadable: 'Check the permissions of the file and its folders.',
    'too-large': 'Split the file; configuration is read up to 1 MiB.',
    'not-a-file': 'Put a file here, or remove what stands in its place.',
    'not-utf8': 'Save the file as UTF-8.',
  } as const
  return report.error(`config.file.${failure}`, sourceOf(source), message, { hint: hints[failure] })
}
