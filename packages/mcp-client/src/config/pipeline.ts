import {
  type ConfigDocument,
  definePipeline,
  documentReader,
  type FoundEntries,
  mapEntries,
  type Pipeline,
  parsePointer,
  type Reader,
} from '@ext/kernel'
import { type CompileContext, compile } from '../compile/compile.js'
import type { CompiledServer } from '../compiled.js'
import type { Policies } from '../policy/policies.js'
import type { ServerEntry } from './entry.js'
import { findInMcpJson } from './mcp-json.js'
import type { Rejections } from './rejections.js'
import { validate } from './validate.js'

export type ServerPipeline = Pipeline<ServerEntry, CompiledServer, CompileContext>

/** An entry that knows whether it may take effect. */
interface JudgedEntry extends ServerEntry {
  isOn(): boolean
}

/** What becomes of a server's entry. One for each client: its files say what may become of its servers. */
export function serverPipeline(policies: Policies, rejections: Rejections): ServerPipeline {
  return definePipeline<unknown, JudgedEntry, CompiledServer, CompileContext>({
    axis: 'servers',
    readers: [
      listening('ext', (document) => mapEntries(document, '/mcpServers'), policies),
      documentReader('claude-mcp', (document) => {
        const found = findInMcpJson(document)
        rejections.saw(found.entries.map(({ pointer }) => parsePointer(pointer).at(-1) ?? ''))
        return found
      }),
      // Settings of Claude Code hold no servers, but may say no to some.
      listening('claude-settings', () => ({ entries: [] }), rejections),
    ],
    validate(input) {
      const { value, diagnostics } = validate(input)
      if (!value) return { diagnostics }
      const isOn = () => {
        const entry = { ...input, value }
        // Both are asked, so that each can say so.
        const [isAllowed, isWanted] = [policies.allows(entry), rejections.allows(entry)]
        return value.enabled && isAllowed && isWanted
      }
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
function listening(
  dialect: string,
  find: (document: ConfigDocument) => FoundEntries<unknown>,
  listener: Pick<Policies | Rejections, 'read' | 'keep'>,
): Reader<unknown> {
  const reader = documentReader(dialect, (document) => {
    const { diagnostics = [], ...found } = find(document)
    return { ...found, diagnostics: [...diagnostics, ...listener.read(document)] }
  })
  return {
    dialect,
    async read(source, files) {
      const result = await reader.read(source, files)
      for (const { state, file, layer } of result.files) {
        if (state === 'failed') listener.keep({ dialect, file, layer })
      }
      return result
    },
  }
}
