import { diagnosticCodes } from './codes.js'
import { createReporter, hasErrors, sortDiagnostics } from './diagnostic.js'
import { ExtError, messageOf } from './errors.js'
import { isForeignLayer, layerRank } from './layers.js'
import { type MergeStrategy, mergeEntries } from './merge.js'
import { parsePointer } from './pointer.js'
import type {
  ConfigSource,
  Diagnostic,
  EntryRecord,
  FilesPort,
  Located,
  Outcome,
  Reader,
  ReadResult,
  Snapshot,
  SnapshotEntry,
  Source,
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
  /**
   * Says whether an entry is well formed. Without a value, at least one error diagnostic says why; an error beside a
   * value is about an entry that takes effect all the same, because leaving it out would be worse.
   */
  validate(input: Located<Input>, context: Context): Outcome<Entry>
  /** The name under which entries of different layers meet. */
  identity(entry: Located<Entry>): string
  readonly merge: MergeStrategy
  /**
   * True for entries that run something or loosen a limit. From the layers that others can write (plugin, project,
   * local) they take effect only once approved; everything else passes.
   */
  needsConsent(entry: Entry): boolean
  /** False for entries that only switch off what farther layers configure. They merge and are not compiled. */
  enabled?(entry: Entry): boolean
  /** Says what an entry means. Without a value, at least one error diagnostic says why. */
  compile(entry: Located<Entry>, context: Context): Outcome<Compiled>
}

/** What a pipeline needs of its host. */
export interface LoadHost<Entry> {
  readonly files: FilesPort
  /** Whether a person has approved this entry. Default: nobody has approved anything. */
  approved?(entry: Located<Entry>): boolean
}

/** How one axis is loaded. */
export interface Pipeline<Entry, Compiled, Context> {
  readonly axis: string
  /**
   * Reads, validates, merges and compiles. Bad configuration never rejects: the entry is left out, its siblings stay,
   * and a diagnostic says why. Rejects with `kernel.reader.unknown` when a source names a dialect without a reader.
   * @param sources in any order; layers decide, and within a layer the later source wins. A file that is listed twice
   *   in one layer is read once; values of the same name are told apart by a number behind it.
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
      const ordered = distinct(sources).toSorted((a, b) => layerRank(a.layer) - layerRank(b.layer))
      const reads = await Promise.all(ordered.map((source) => readSource(definition.readers, source, host.files)))
      return assemble(definition, reads, context, host)
    },
  }
}

/** Ids are made of layer, file or name, and pointer: no two sources may share the first two. */
function distinct(sources: readonly ConfigSource[]): readonly ConfigSource[] {
  const seen = new Map<string, number>()
  return sources.flatMap((source): readonly ConfigSource[] => {
    const { layer, dialect } = source
    const key = JSON.stringify(source.kind === 'value' ? [layer, source.name] : [layer, source.path, dialect])
    const count = (seen.get(key) ?? 0) + 1
    seen.set(key, count)
    if (count === 1) return [source]
    return source.kind === 'value' ? [{ ...source, name: `${source.name} (${count})` }] : []
  })
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
    const { layer, dialect } = source
    const place = source.kind === 'value' ? { layer, name: source.name } : { layer, file: source.path }
    return {
      entries: [],
      broken: [],
      diagnostics: [
        report.error('config.reader.crashed', place, `The reader \`${dialect}\` failed: ${messageOf(error)}.`, {
          hint: 'This is a fault of the reader, not of the file; please report it.',
        }),
      ],
      files: source.kind === 'value' ? [] : [{ layer, dialect, file: source.path, state: 'failed' }],
    }
  }
}

/** A valid entry on its way through consent, merge and compilation. */
interface Candidate<E> {
  readonly entry: Located<E>
  readonly name: string
  readonly source: Located<E>['source']
  readonly needsConsent: boolean
  readonly approved: boolean
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
  const record = (entry: Located<unknown>, name: string, verdict: EntryRecord['verdict']) =>
    records.push({
      axis,
      id: entry.id,
      name,
      verdict,
      // Positions cost a tree of the whole file, so they wait until somebody asks.
      get source() {
        return entry.at()
      },
    })

  for (const broken of reads.flatMap((read) => read.broken)) {
    records.push({ axis, ...broken, verdict: 'broken' })
    if (!hasErrorOf(diagnostics, broken.id)) diagnostics.push(crashed(broken.id, broken.source, NO_REASON))
  }

  const valid: Candidate<E>[] = []
  for (const input of reads.flatMap((read) => read.entries)) {
    const checked = guarded(input, (): Outcome<Candidate<E>> => {
      const outcome = definition.validate(input, context)
      if (outcome.value === undefined) return { diagnostics: outcome.diagnostics }
      const entry: Located<E> = { ...input, value: outcome.value }
      const needsConsent = definition.needsConsent(entry.value)
      const candidate = {
        entry,
        name: definition.identity(entry),
        source: entry.source,
        needsConsent,
        approved: needsConsent && isForeignLayer(entry.source.layer) && host.approved?.(entry) === true,
      }
      return { value: candidate, diagnostics: outcome.diagnostics }
    })
    diagnostics.push(...checked.diagnostics)
    if (checked.value) valid.push(checked.value)
    else record(input, parsePointer(input.pointer).at(-1) ?? sourceName(input), 'broken')
  }

  const outcomes = new Map<Candidate<E>, Outcome<C>>()
  const isOff = ({ entry }: Candidate<E>) => definition.enabled?.(entry.value) === false
  const compile = (candidate: Candidate<E>): Outcome<C> => {
    const outcome =
      outcomes.get(candidate) ?? guarded(candidate.entry, () => definition.compile(candidate.entry, context))
    outcomes.set(candidate, outcome)
    return outcome
  }

  // A managed file that can't be understood may have forbidden what the others allow.
  const managed = mergeEntries(
    valid.filter(({ source }) => source.layer === 'managed'),
    definition.merge,
  ).kept
  const managedBroken =
    diagnostics.some((each) => each.severity === 'error' && each.source.layer === 'managed') ||
    managed.some((candidate) => !isOff(candidate) && compile(candidate).value === undefined)
  // Consent comes before the merge: an entry that waits for it must not hide one that has it. It is compiled all the
  // same, so that nobody is asked to approve what can't work.
  const admitted = valid.filter((candidate) => {
    const refusal = consentRefusal(candidate, managedBroken)
    if (!refusal) return true
    const compiled = isOff(candidate) ? undefined : compile(candidate)
    const works = compiled === undefined || compiled.value !== undefined
    diagnostics.push(...(compiled?.diagnostics ?? []), ...(works ? [refusal] : []))
    record(candidate.entry, candidate.name, works ? 'untrusted' : 'broken')
    return false
  })

  const { kept, shadowed } = mergeEntries(admitted, definition.merge)
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
  for (const candidate of kept) {
    const { entry, name } = candidate
    if (isOff(candidate)) {
      record(entry, name, 'disabled')
      continue
    }
    const compiled = compile(candidate)
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
    files: Object.freeze(reads.flatMap((read) => read.files)),
    diagnostics: Object.freeze(sortDiagnostics(diagnostics)),
  })
}

const NO_REASON = 'it gave neither a value nor a reason'

/**
 * Holds the rule that an entry without a value has an error with its id, even when the axis forgets the error or throws.
 */
function guarded<T>(entry: Located<unknown>, step: () => Outcome<T>): Outcome<T> {
  try {
    const { value, diagnostics } = step()
    const own = diagnostics.map((each) => (each.entry === undefined ? { ...each, entry: entry.id } : each))
    if (value !== undefined) return { value, diagnostics: own }
    return { diagnostics: hasErrorOf(own, entry.id) ? own : [...own, crashed(entry.id, entry.at(), NO_REASON)] }
  } catch (error) {
    return { diagnostics: [crashed(entry.id, entry.at(), messageOf(error))] }
  }
}

function hasErrorOf(diagnostics: readonly Diagnostic[], id: string): boolean {
  return hasErrors(diagnostics.filter((each) => each.entry === id))
}

function crashed(id: string, source: Source, why: string): Diagnostic {
  return report.error('config.reader.crashed', source, `The entry could not be processed: ${why}.`, {
    entry: id,
    hint: 'This is a fault of the library, not of the file; please report it.',
  })
}

function consentRefusal(candidate: Candidate<unknown>, managedBroken: boolean): Diagnostic | undefined {
  const { entry, name, needsConsent, approved } = candidate
  const { layer } = entry.source
  if (!needsConsent) return undefined
  const details = { entry: entry.id, pointer: entry.pointer }
  if (managedBroken && (isForeignLayer(layer) || layer === 'user')) {
    return report.error('config.managed.broken', entry.at(), `\`${name}\` stays off while a managed file is broken.`, {
      ...details,
      hint: 'Fix the managed file; its own diagnostic says what is wrong.',
    })
  }
  if (approved || !isForeignLayer(layer)) return undefined
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

function sourceName(entry: Located<unknown>): string {
  return entry.source.file ?? entry.source.name ?? entry.id
}
