import { diagnosticCodes } from '../codes.js'
import { createReporter } from '../diagnostic.js'
import { ExtError, messageOf } from '../errors.js'
import { layerRank } from '../layers.js'
import type { ConfigSource, FileRecord, FilesPort, Located, Reader, ReadResult } from '../types.js'
import type { Findings } from './candidate.js'
import { crashed, hasErrorOf, NO_REASON } from './guard.js'

const report = createReporter(diagnosticCodes)

/** The entries of one source as they were read, with its key. */
export interface Inputs<I> {
  readonly entries: readonly Located<I>[]
  readonly origin: string
}

/** Everything that the sources hold, farthest layer first. */
export interface ReadSources<I> extends Findings {
  readonly inputs: readonly Inputs<I>[]
  /** What was looked for. There may be thousands, and hardly anybody asks. */
  files(): readonly FileRecord[]
  /** Keys of the sources, in order. */
  readonly origins: readonly string[]
}

/** First stage: each source is read by the reader of its dialect. */
export async function readSources<I>(
  { axis, readers }: { readonly axis: string; readonly readers: readonly Reader<I>[] },
  sources: readonly ConfigSource[],
  files: FilesPort,
): Promise<ReadSources<I>> {
  const ordered = distinct(sources).toSorted((a, b) => layerRank(a.layer) - layerRank(b.layer))
  const origins = ordered.map(originOf)
  const reads = await Promise.all(ordered.map((source) => readSource(readers, source, files)))
  const diagnostics = reads.flatMap((read) => read.diagnostics)
  const broken = reads.flatMap((read) => read.broken)
  const unexplained = broken.filter(({ id }) => !hasErrorOf(diagnostics, id))
  return {
    inputs: reads.map(({ entries }, index) => ({ entries, origin: origins[index] ?? '' })),
    files: () => reads.flatMap((read) => read.files),
    origins,
    records: broken.map((each) => ({ axis, ...each, verdict: 'broken' })),
    diagnostics: [...diagnostics, ...unexplained.map(({ id, source }) => crashed(id, source, NO_REASON))],
  }
}

/** Ids are made of layer, file or name, and pointer: no two sources may share the first two. */
function distinct(sources: readonly ConfigSource[]): readonly ConfigSource[] {
  const seen = new Map<string, number>()
  return sources.flatMap((source): readonly ConfigSource[] => {
    const key = originOf(source)
    const count = (seen.get(key) ?? 0) + 1
    seen.set(key, count)
    if (count === 1) return [source]
    return source.kind === 'value' ? [{ ...source, name: `${source.name} (${count})` }] : []
  })
}

function originOf(source: ConfigSource): string {
  const { layer, dialect } = source
  return JSON.stringify(source.kind === 'value' ? [layer, source.name] : [layer, source.path, dialect])
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
