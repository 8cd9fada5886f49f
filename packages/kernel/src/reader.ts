import { diagnosticCodes } from './codes.js'
import { createReporter } from './diagnostic.js'
import { type ConfigDocument, openDocument } from './document/document.js'
import { dottedPath, joinPointer, parsePointer } from './pointer.js'
import type { BrokenEntry, Diagnostic, Located, Reader, ReadResult } from './types.js'

const report = createReporter(diagnosticCodes)

/** What a dialect finds in a document. */
export interface FoundEntries<I> {
  readonly entries: readonly Located<I>[]
  readonly broken?: readonly BrokenEntry[]
  readonly diagnostics?: readonly Diagnostic[]
}

/**
 * A reader for dialects that live in one YAML or JSON document. Reading, limits, syntax errors and positions are
 * done here; `find` says which parts of the document are entries.
 */
export function documentReader<I>(dialect: string, find: (document: ConfigDocument) => FoundEntries<I>): Reader<I> {
  return {
    dialect,
    async read(source, files): Promise<ReadResult<I>> {
      const { document, diagnostics, record } = await openDocument(source, files)
      const found: FoundEntries<I> = document ? find(document) : { entries: [] }
      return {
        entries: found.entries,
        broken: found.broken ?? [],
        diagnostics: [...diagnostics, ...withoutRepeats(found.diagnostics ?? [])],
        files: record ? [record] : [],
      }
    },
  }
}

/** A dialect that looks into a broken part for several kinds of entries complains about it several times. */
function withoutRepeats(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const first = new Map<string, Diagnostic>()
  for (const diagnostic of diagnostics) {
    const key = JSON.stringify([diagnostic.code, diagnostic.pointer, diagnostic.entry, diagnostic.message])
    if (!first.has(key)) first.set(key, diagnostic)
  }
  return [...first.values()]
}

/**
 * The entries of a map at `pointer`, one per key. An absent map has none; anything that is not a map, on the way or at
 * the end, is reported. The values are not looked at: that is what validation is for.
 */
export function mapEntries(document: ConfigDocument, pointer: string): FoundEntries<unknown> {
  return entriesAt(document, pointer, 'a map of names to entries', (value) => (isMap(value) ? value : undefined))
}

/** The entries of a list at `pointer`. An absent list has none; anything that is not a list is reported. */
export function listEntries(document: ConfigDocument, pointer: string): FoundEntries<unknown> {
  return entriesAt(document, pointer, 'a list', (value) => (Array.isArray(value) ? { ...value } : undefined))
}

function entriesAt(
  document: ConfigDocument,
  pointer: string,
  expected: string,
  parts: (value: unknown) => Readonly<Record<string, unknown>> | undefined,
): FoundEntries<unknown> {
  let parent = ''
  for (const segment of parsePointer(pointer)) {
    const value = valueAt(document.value, parent)
    if (value === undefined || value === null) return { entries: [] }
    if (!isMap(value) && !isIndexOf(value, segment)) {
      return { entries: [], diagnostics: [wrongShape(document, parent, 'a map', value)] }
    }
    parent = joinPointer(parent, segment)
  }
  const value = valueAt(document.value, pointer)
  if (value === undefined || value === null) return { entries: [] }
  const found = parts(value)
  if (!found) return { entries: [], diagnostics: [wrongShape(document, pointer, expected, value)] }
  return {
    entries: Object.entries(found).map(([key, part]) => document.located(joinPointer(pointer, key), part)),
  }
}

/** The diagnostic for a part that has the wrong type altogether. */
export function wrongShape(document: ConfigDocument, pointer: string, expected: string, found: unknown): Diagnostic {
  const name = pointer === '' ? 'The file' : `\`${dottedPath(pointer)}\``
  return report.error('config.shape', document.at(pointer), `${name} holds ${describe(found)}, not ${expected}.`, {
    hint: `Write ${expected} here; until then nothing of this part is used.`,
    expected: [expected],
    pointer,
  })
}

/** The part of a value that a JSON pointer leads to; `undefined` if there is none. */
export function valueAt(root: unknown, pointer: string): unknown {
  let value = root
  for (const segment of parsePointer(pointer)) {
    if (isIndexOf(value, segment)) value = value[Number(segment)]
    else if (isMap(value) && Object.hasOwn(value, segment)) value = value[segment]
    else return undefined
  }
  return value
}

function isIndexOf(value: unknown, segment: string): value is readonly unknown[] {
  return Array.isArray(value) && /^\d+$/.test(segment)
}

/** Whether a value is a map: an object that is no list. */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `a list`, `the text "x"`, `the number 5`: for messages. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map'
  if (typeof value === 'string') {
    return `the text ${JSON.stringify(value.length > 60 ? `${value.slice(0, 59)}…` : value)}`
  }
  return `the ${typeof value} ${String(value)}`
}
