import { diagnosticCodes } from './codes.js'
import { createReporter, hasErrors, sortDiagnostics } from './diagnostic.js'
import { sourceOf } from './document/document.js'
import { ExtError, messageOf } from './errors.js'
import { isForeignLayer, layerRank } from './layers.js'
import { type MergeStrategy, mergeEntries } from './merge.js'
import type {
  ConfigSource,
  Diagnostic,
  EntryRecord,
  FileRecord,
  FilesPort,
  Located,
  Outcome,
  Reader,
  ReadResult,
  Snapshot,
  SnapshotEntry,
  Verdict,
} from './types.js'

const report = createReporter(diagnosticCodes)

/**
 * One axis of the extension layer. Three stages, three types: `Input` as written, `Entry` validated, `Compiled` ready
 * to be dispatched.
 */
export interface PipelineDefinition<Input, Entry, Compiled, Context> {
  /** One word, for records and messages: `hooks`, `servers`. */
  readonly axis: string
  readonly readers: readonly Reader<Input>[]
  /** Says whether an entry is well formed. Without a value, at least one error diagnostic says why. */
  validate(input: Located<Input>, context: Context): Outcome<Entry>
  /** The name under which entries of different layers meet. */
  identity(entry: Located<Entry>): string
  readonly merge: MergeStrategy
  /**
   * True for entries that run something or loosen a limit. From the layers that others can write (plugin, project,
   * local) they take effect only once approved; everything else passes.
   */
  needsConsent(entry: Entry): boolean
  /** Says what an entry means. Without a value, at least one error diagnostic says why. */
  compile(entry: Located<Entry>, context: Context): Outcome<Compiled>
}

export interface LoadHost<Entry> {
  readonly files: FilesPort
  /** Whether a person has approved this entry. Default: nobody has approved anything. */
  approved?(entry: Located<Entry>): boolean
}

export interface Pipeline<Entry, Compiled, Context> {
  readonly axis: string
  /**
   * Reads, validates, merges and compiles. Bad configuration never rejects: the entry is left out, its siblings stay,
   * and a diagnostic says why. Rejects with `kernel.reader.unknown` when a source names a dialect without a reader.
   * @param sources in any order; layers decide, and within a layer the later source wins
   */
  load(sources: readonly ConfigSource[], context: Context, host: LoadHost<Entry>): Promise<Snapshot<Compiled>>
}

/** Makes a pipeline from what is special about one axis. Adding a dialect is one more reader. */
export function definePipeline<Input, Entry, Compiled, Context>(
  definition: PipelineDefinition<Input, Entry, Compiled, Context>,
): Pipeline<Entry, Compiled, Context> {
  return {
    axis: definition.axis,
    async load(sources, context, host) {
      const ordered = sources.toSorted((a, b) => layerRank(a.layer) - layerRank(b.layer))
      const reads = await Promise.all(ordered.map((source) => readSource(definition.readers, source, host.files)))
      return assemble(definition, reads, context, host)
    },
  }
}

async function readSource<I>(
  readers: readonly Reader<I>[],
  source: ConfigSource,
  files: FilesPort,
): Promise<ReadResult<I>> {
  const reader = readers.find((candidate) => candidate.dialect === source.dialect)
  if (!reader) {
    const known = readers.map((candidate) => candidate.dialect).join(', ')
    throw new ExtError('kernel.reader.unknown', `No reader for the dialect \`${source.dialect}\`; there are: ${known}.`)
  }
  try {
    return await reader.read(source, files)
  } catch (error) {
    const where = source.kind === 'value' ? { name: source.name } : { file: source.path }
    const place = { layer: source.layer, ...where }
    return {
      entries: [],
      broken: [],
      diagnostics: [
        report.error('config.reader.crashed', place, `The reader \`${source.dialect}\` failed: ${messageOf(error)}.`, {
          hint: 'This is a fault of the reader, not of the file; please report it.',
        }),
      ],
      files: source.kind === 'value' ? [] : [{ ...place, file: source.path, dialect: source.dialect, state: 'failed' }],
    }
  }
}

/** The synchronous middle: everything that was read becomes a snapshot in one step. */
function assemble<I, E, C, X>(
  definition: PipelineDefinition<I, E, C, X>,
  reads: readonly ReadResult<I>[],
  context: X,
  host: LoadHost<E>,
): Snapshot<C> {
  const { axis } = definition
  const diagnostics: Diagnostic[] = reads.flatMap((read) => read.diagnostics)
  const records: EntryRecord[] = []
  const files: FileRecord[] = reads.flatMap((read) => read.files)
  const record = (entry: Located<unknown>, name: string, verdict: Verdict) =>
    records.push({ axis, id: entry.id, name, verdict, source: entry.at() })

  for (const broken of reads.flatMap((read) => read.broken)) records.push({ axis, ...broken, verdict: 'broken' })

  const valid: { entry: Located<E>; name: string; source: Located<E>['source'] }[] = []
  for (const input of reads.flatMap((read) => read.entries)) {
    const checked = guarded(input, () => definition.validate(input, context))
    diagnostics.push(...checked.diagnostics)
    if (checked.value === undefined) {
      record(input, lastSegment(input), 'broken')
      continue
    }
    const entry: Located<E> = { ...input, value: checked.value }
    valid.push({ entry, name: definition.identity(entry), source: entry.source })
  }

  // A managed file that can't be understood may have forbidden what the others allow.
  const managedBroken = diagnostics.some((each) => each.severity === 'error' && each.source.layer === 'managed')
  const approved = valid.filter(({ entry, name }) => {
    const refusal = consentRefusal(definition, entry, name, host, managedBroken)
    if (!refusal) return true
    diagnostics.push(refusal)
    record(entry, name, 'untrusted')
    return false
  })

  const { kept, shadowed } = mergeEntries(approved, definition.merge)
  for (const { entry, by } of shadowed) {
    record(entry.entry, entry.name, 'shadowed')
    diagnostics.push(
      report.info(
        'config.entry.shadowed',
        entry.entry.at(),
        `\`${entry.name}\` is replaced by the one in a nearer place.`,
        {
          entry: entry.entry.id,
          related: [{ message: 'this one takes effect', source: by.entry.at() }],
        },
      ),
    )
  }

  const entries: SnapshotEntry<C>[] = []
  for (const { entry, name } of kept) {
    const compiled = guarded(entry, () => definition.compile(entry, context))
    diagnostics.push(...compiled.diagnostics)
    record(entry, name, compiled.value === undefined ? 'broken' : 'loaded')
    if (compiled.value !== undefined) {
      entries.push(Object.freeze({ id: entry.id, name, value: compiled.value, source: entry.source, at: entry.at }))
    }
  }
  return Object.freeze({
    axis,
    entries: Object.freeze(entries),
    records: Object.freeze(records),
    files: Object.freeze(files),
    diagnostics: Object.freeze(sortDiagnostics(diagnostics)),
  })
}

/** Holds the rule that an entry without a value has an error, even when the axis forgets one or throws. */
function guarded<T>(entry: Located<unknown>, step: () => Outcome<T>): Outcome<T> {
  try {
    const outcome = step()
    if (outcome.value !== undefined || hasErrors(outcome.diagnostics)) return outcome
    return { diagnostics: [...outcome.diagnostics, crashed(entry, 'it gave neither a value nor a reason')] }
  } catch (error) {
    return { diagnostics: [crashed(entry, messageOf(error))] }
  }
}

function crashed(entry: Located<unknown>, why: string): Diagnostic {
  return report.error('config.reader.crashed', entry.at(), `The entry could not be processed: ${why}.`, {
    entry: entry.id,
    hint: 'This is a fault of the library, not of the file; please report it.',
  })
}

function consentRefusal<I, E, C, X>(
  definition: PipelineDefinition<I, E, C, X>,
  entry: Located<E>,
  name: string,
  host: LoadHost<E>,
  managedBroken: boolean,
): Diagnostic | undefined {
  const { layer } = entry.source
  if (!definition.needsConsent(entry.value)) return undefined
  const details = { entry: entry.id, pointer: entry.pointer }
  if (managedBroken && (isForeignLayer(layer) || layer === 'user')) {
    return report.error('config.managed.broken', entry.at(), `\`${name}\` stays off while a managed file is broken.`, {
      ...details,
      hint: 'Fix the managed file; its own diagnostic says what is wrong.',
    })
  }
  if (!isForeignLayer(layer) || host.approved?.(entry)) return undefined
  return report.warning(
    'config.entry.untrusted',
    entry.at(),
    `\`${name}\` is not used: its ${layer} file is not approved.`,
    {
      ...details,
      hint: 'Read what it would do, then approve the project.',
    },
  )
}

function lastSegment(entry: Located<unknown>): string {
  const segment = entry.pointer.slice(entry.pointer.lastIndexOf('/') + 1)
  return segment || sourceOf(entry.source).file || entry.source.name || entry.id
}
