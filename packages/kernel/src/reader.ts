import { diagnosticCodes } from './codes.js'
import { createReporter } from './diagnostic.js'
import { type ConfigDocument, joinPointer, openDocument } from './document/document.js'
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
        diagnostics: [...diagnostics, ...(found.diagnostics ?? [])],
        files: record ? [record] : [],
      }
    },
  }
}

/**
 * The entries of a map at `pointer`, one per key. An absent map has none; anything that is not a map is reported.
 * The values are not looked at: that is what validation is for.
 */
export function mapEntries(document: ConfigDocument, pointer: string): FoundEntries<unknown> {
  const value = valueAt(document.value, pointer)
  if (value === undefined || value === null) return { entries: [] }
  if (!isMap(value))
    return { entries: [], diagnostics: [wrongShape(document, pointer, 'a map of names to entries', value)] }
  return {
    entries: Object.entries(value).map(([key, entry]) => document.located<unknown>(joinPointer(pointer, key), entry)),
  }
}

/** The entries of a list at `pointer`. An absent list has none; anything that is not a list is reported. */
export function listEntries(document: ConfigDocument, pointer: string): FoundEntries<unknown> {
  const value = valueAt(document.value, pointer)
  if (value === undefined || value === null) return { entries: [] }
  if (!Array.isArray(value)) return { entries: [], diagnostics: [wrongShape(document, pointer, 'a list', value)] }
  return { entries: value.map((entry, index) => document.located<unknown>(joinPointer(pointer, index), entry)) }
}

/** The diagnostic for a part that has the wrong type altogether. */
export function wrongShape(document: ConfigDocument, pointer: string, expected: string, found: unknown): Diagnostic {
  const name = pointer === '' ? 'The file' : `\`${pointer.slice(1).replaceAll('/', '.')}\``
  return report.error('config.shape', document.at(pointer), `${name} holds ${describe(found)}, not ${expected}.`, {
    hint: `Write ${expected} here; until then nothing of this part is used.`,
    expected: [expected],
    pointer,
  })
}

export function valueAt(root: unknown, pointer: string): unknown {
  let value = root
  for (const segment of pointer.split('/').slice(1)) {
    if (!isMap(value) || !Object.hasOwn(value, segment)) return undefined
    value = value[segment]
  }
  return value
}

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
