import {
  type ConfigDocument,
  definePipeline,
  documentReader,
  type FoundEntries,
  mapEntries,
  type Pipeline,
  type Reader,
} from '@ext/kernel'
import { type CompileContext, compile } from '../compile/compile.js'
import type { CompiledServer } from '../compiled.js'
import type { Policies } from '../policy/policies.js'
import type { ServerEntry } from './entry.js'
import { findInMcpJson } from './mcp-json.js'
import { validate } from './validate.js'

export type ServerPipeline = Pipeline<ServerEntry, CompiledServer, CompileContext>

/** An entry that knows whether it may take effect. */
interface JudgedEntry extends ServerEntry {
  isOn(): boolean
}

/** What becomes of a server's entry. One for each client: its files say what may become of its servers. */
export function serverPipeline(policies: Policies): ServerPipeline {
  return definePipeline<unknown, JudgedEntry, CompiledServer, CompileContext>({
    axis: 'servers',
    readers: [extReader(policies), documentReader('claude-mcp', findInMcpJson)],
    validate(input) {
      const { value, diagnostics } = validate(input)
      if (!value) return { diagnostics }
      const isOn = () => value.enabled && policies.allows({ ...input, value })
      return { value: { ...value, isOn }, diagnostics }
    },
    identity: (entry) => entry.value.name,
    merge: 'override',
    // One that is off as well: it hides a farther one.
    needsConsent: () => true,
    enabled: (entry) => entry.isOn(),
    compile,
  })
}

/** A file that can also say something about the servers of other files. */
function extReader(policies: Policies): Reader<unknown> {
  const dialect = 'ext'
  const find = (document: ConfigDocument): FoundEntries<unknown> => {
    const { diagnostics = [], ...found } = mapEntries(document, '/mcpServers')
    return { ...found, diagnostics: [...diagnostics, ...policies.read(document)] }
  }
  const reader = documentReader(dialect, find)
  return {
    dialect,
    async read(source, files) {
      const result = await reader.read(source, files)
      for (const { state, file, layer } of result.files) {
        if (state === 'failed') policies.keep({ dialect, file, layer })
      }
      return result
    },
  }
}
