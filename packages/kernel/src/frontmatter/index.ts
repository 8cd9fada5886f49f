/**
 * The one splitter for files that start with a YAML header: skills, agents, instruction files (`@ext/kernel/frontmatter`).
 * @module
 */
import { diagnosticCodes } from '../codes.js'
import { createReporter } from '../diagnostic.js'
import { type ConfigDocument, sourceOf, toDocument } from '../document/document.js'
import { parseYaml } from '../document/parse-yaml.js'
import { isMap, wrongShape } from '../reader.js'
import { SourceText } from '../text.js'
import type { Diagnostic, Source, SourceRef } from '../types.js'

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
 * line closes it, so `---` inside values and block scalars is text. LF and CRLF are equal; a byte order mark is skipped.
 */
export function splitFrontmatter(text: string): FrontmatterSplit | FrontmatterProblem {
  const start = text.startsWith('\uFEFF') ? 1 : 0
  const firstEnd = lineEnd(text, start)
  const first = text.slice(start, firstEnd.content)
  if (first !== '---') {
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
    if (text.slice(lineStart, end.content) === '---') {
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

/** Splits a file and parses its header, which must be a map. Never throws. */
export async function parseFrontmatter(text: string, source: SourceRef): Promise<Frontmatter> {
  const split = splitFrontmatter(text)
  if ('code' in split) {
    const place: Source = { ...sourceOf(source), line: 1, column: 1 }
    return { body: text, diagnostics: [report.error(split.code, place, split.message, { hint: split.hint })] }
  }
  const lines = new SourceText(text)
  const parsed = await parseYaml(split.header)
  const { document, diagnostics } = toDocument(parsed, 'yaml', source, lines, split.headerStart)
  if (!document) return { body: split.body, diagnostics }
  // A header without fields is an empty map, not the value null that YAML makes of it.
  const value = document.value ?? {}
  if (!isMap(value)) {
    const shape = wrongShape(document, '', 'a map of fields', value)
    return { body: split.body, diagnostics: [...diagnostics, shape] }
  }
  return { document: { ...document, value }, body: split.body, diagnostics }
}
