import {
  type ConfigDocument,
  type ConfigSource,
  createReporter,
  definePipeline,
  documentReader,
  type FoundEntries,
  isMap,
  type LoadHost,
  mapEntries,
  type Snapshot,
  type SnapshotEntry,
  wrongShape,
} from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import { type CompileContext, compile, DISABLED } from '../compile.js'
import type { CompiledServer, ServerEntry } from '../types.js'
import { validate } from './validate.js'

const report = createReporter(diagnosticCodes)

const SECTION = '/mcpServers'

/** Reads and compiles all servers. Those that configuration switches off are in the records only. */
export async function loadServerConfig(
  layers: readonly ConfigSource[],
  context: CompileContext,
  host: LoadHost<ServerEntry>,
): Promise<Snapshot<CompiledServer>> {
  const pipeline = definePipeline<unknown, ServerEntry, CompiledServer | typeof DISABLED, CompileContext>({
    axis: 'servers',
    readers: [
      documentReader('ext', (document) => mapEntries(document, SECTION)),
      documentReader('claude-mcp', findInMcpJson),
    ],
    validate,
    identity: (entry) => entry.value.name,
    merge: 'override',
    needsConsent: () => true,
    compile,
  })
  const { entries, records, ...rest } = await pipeline.load(layers, context, host)
  const disabled = new Set(entries.filter(({ value }) => value === DISABLED).map(({ id }) => id))
  return Object.freeze({
    ...rest,
    entries: Object.freeze(entries.filter((entry): entry is SnapshotEntry<CompiledServer> => entry.value !== DISABLED)),
    records: Object.freeze(
      records.map((record) =>
        record.verdict === 'loaded' && disabled.has(record.id) ? { ...record, verdict: 'disabled' as const } : record,
      ),
    ),
  })
}

/** Other programs name the section differently or leave it out; such a file would otherwise be empty without a word. */
function findInMcpJson(document: ConfigDocument): FoundEntries<unknown> {
  if (!isMap(document.value)) return { entries: [], diagnostics: [wrongShape(document, '', 'a map', document.value)] }
  if (Object.hasOwn(document.value, 'mcpServers')) return mapEntries(document, SECTION)
  const hint = 'Put the servers into a map under the key `mcpServers`.'
  const message = 'The file has no `mcpServers`, so it configures no server.'
  return { entries: [], diagnostics: [report.warning('mcp.file.no-servers', document.at(), message, { hint })] }
}
