import { definePipeline, documentReader, mapEntries, type Pipeline } from '@ext/kernel'
import { type CompileContext, compile } from '../compile/compile.js'
import type { CompiledServer } from '../compiled.js'
import type { ServerEntry } from './entry.js'
import { findInMcpJson } from './mcp-json.js'
import { validate } from './validate.js'

/** What becomes of a server's entry. */
export const serverPipeline: Pipeline<ServerEntry, CompiledServer, CompileContext> = definePipeline({
  axis: 'servers',
  readers: [
    documentReader('ext', (document) => mapEntries(document, '/mcpServers')),
    documentReader('claude-mcp', findInMcpJson),
  ],
  validate,
  identity: (entry) => entry.value.name,
  merge: 'override',
  needsConsent: () => true,
  enabled: (entry) => entry.enabled,
  compile,
})
