import {
  type ConfigDocument,
  createReporter,
  definePipeline,
  documentReader,
  type FoundEntries,
  isMap,
  mapEntries,
  type Pipeline,
  wrongShape,
} from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import { type CompileContext, compile } from '../compile/compile.js'
import type { CompiledServer } from '../compiled.js'
import type { ServerEntry } from './entry.js'
import { validate } from './validate.js'

const report = createReporter(diagnosticCodes)

const SECTION = '/mcpServers'

/** What becomes of a server's entry. */
export const serverPipeline: Pipeline<ServerEntry, CompiledServer, CompileContext> = definePipeline({
  axis: 'servers',
  readers: [
    documentReader('ext', (document) => mapEntries(document, SECTION)),
    documentReader('claude-mcp', findInMcpJson),
  ],
  validate,
  identity: (entry) => entry.value.name,
  merge: 'override',
  needsConsent: () => true,
  enabled: (entry) => entry.enabled,
  compile,
})

/** Other programs name the section differently or leave it out; such a file would otherwise be empty without a word. */
function findInMcpJson(document: ConfigDocument): FoundEntries<unknown> {
  if (!isMap(document.value)) return { entries: [], diagnostics: [wrongShape(document, '', 'a map', document.value)] }
  if (Object.hasOwn(document.value, 'mcpServers')) return mapEntries(document, SECTION)
  const hint = 'Put the servers into a map under the key `mcpServers`.'
  const message = 'The file has no `mcpServers`, so it configures no server.'
  return { entries: [], diagnostics: [report.warning('mcp.file.no-servers', document.at(), message, { hint })] }
}
