import { diagnosticCodes } from '../codes.js'
import { createReporter } from '../diagnostic.js'
import { type ConfigDocument, type ParsedDocument, sourceOf, toDocument } from '../document/document.js'
import { parseYaml } from '../document/parse-yaml.js'
import type { Parsed } from '../document/parsed.js'
import { joinPointer } from '../pointer.js'
import { isMap, wrongShape } from '../reader.js'
import { SourceText } from '../text.js'
import type { Diagnostic, Source, SourceRef } from '../types.js'
import { splitFrontmatter } from './fences.js'
import { isColonText, rescue } from './rescue.js'
import { parseSimpleFrontmatter } from './simple-header.js'

const report = createReporter(diagnosticCodes)

/** A file with a header, read. */
export interface Frontmatter {
  /** The header as a document whose places are those of the whole file. Absent if there is no usable header. */
  readonly document?: ConfigDocument
  /** What follows the header, byte for byte; the whole text if no header was found. */
  readonly body: string
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Splits a file and parses its header, which must be a map. Never throws.
 *
 * A header that YAML refuses because of `: ` in a text without quotes is read all the same, with the warning
 * `frontmatter.rescued`, if that is all that is wrong with it: on one line, at the top level, without ` #`.
 * @param options.texts fields that hold nothing but texts, in any spelling like those of `restricting`: a value that
 *   begins with a sign of YAML and is none, such as `[file] [format]`, is read as a text, too
 * @param options.restricting fields that take something away, in any case and with any of `-`, `_`, blanks or nothing between
 *   words. A header that holds one of them is never guessed at: it has an error and no document
 */
export async function parseFrontmatter(
  text: string,
  source: SourceRef,
  options: { readonly restricting?: readonly string[]; readonly texts?: readonly string[] } = {},
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
  const { restricting = [], texts = [] } = options
  const isText = (field: string) => texts.some((each) => foldName(each) === foldName(field))
  const rescued = asWritten.document ? undefined : await rescue(header, isText)
  const { document, diagnostics } = rescued ? open(rescued.parsed) : asWritten
  if (!document) return { body, diagnostics }
  // A header without fields is an empty map, not the value null that YAML makes of it.
  const value = document.value ?? {}
  if (!isMap(value)) {
    const shape = wrongShape(document, '', 'a map of fields', value)
    return { body, diagnostics: [...diagnostics, shape] }
  }
  if (!rescued) return { document: document.value === value ? document : empty(open, parsed), body, diagnostics }
  const limits = restricting.map(foldName)
  const limit = Object.keys(value).find((key) => limits.includes(foldName(key)))
  if (limit !== undefined) {
    return { body, diagnostics: [...asWritten.diagnostics, refusedRescue(document, limit, rescued.fields)] }
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
  const what = isColonText(String(value))
    ? 'holds a colon with a blank behind it, which starts another field in YAML'
    : 'begins like a list or another sign of YAML, and is none'
  const message = `\`${key}\` ${what}; it is read as one text.`
  const quoted = `'${String(value).replaceAll("'", "''")}'`
  const hint = quoted.length > MAX_HINT ? 'Put the text between quotes.' : `Write ${key}: ${quoted}`
  return report.warning('frontmatter.rescued', document.at(pointer), message, { hint, pointer })
}

function refusedRescue(document: ConfigDocument, key: string, fields: readonly string[]): Diagnostic {
  const pointer = joinPointer('', key)
  const message = `The header is not valid YAML and \`${key}\` limits what may be done, so nothing is guessed.`
  const hint = `Put the value of ${fields.map((field) => `\`${field}\``).join(' and of ')} between quotes.`
  return report.error('frontmatter.rescue-refused', document.at(pointer, 'key'), message, { hint, pointer })
}
