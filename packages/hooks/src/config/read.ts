import {
  type ConfigDocument,
  documentReader,
  type FoundEntries,
  type Located,
  listEntries,
  type Reader,
} from '@ext/kernel'
import type { Policies } from '../policy/policies.js'
import type { HookInput, HookOwner } from './entry.js'
import { findClaudeHooks } from './read-claude.js'
import type { Switches } from './switches.js'

/** Reads our own configuration files. */
export function extReader(switches: Switches, policies: Policies): Reader<HookInput> {
  return settingsReader('ext', [switches, policies], (document) => findRules(document))
}

/** Reads Claude Code's settings files. */
export function claudeReader(switches: Switches, policies: Policies): Reader<HookInput> {
  return settingsReader('claude-settings', [switches, policies], (document) => findClaudeHooks(document))
}

/** Finds rules of our own format. */
export function findRules(document: ConfigDocument, owner?: HookOwner): FoundEntries<HookInput> {
  const found = listEntries(document, '/hooks')
  const entries = found.entries.map(
    (entry): Located<HookInput> => ({
      ...entry,
      value: { dialect: 'ext', rule: entry.value, ...(owner ? { owner } : {}) },
    }),
  )
  return { ...found, entries }
}

/** A file that can also say something about the hooks of other files. */
function settingsReader(
  dialect: string,
  listeners: readonly Pick<Switches | Policies, 'read' | 'keep'>[],
  find: (document: ConfigDocument) => FoundEntries<HookInput>,
): Reader<HookInput> {
  const reader = documentReader(dialect, (document) => {
    const { entries, broken = [], diagnostics = [] } = find(document)
    return { entries, broken, diagnostics: [...diagnostics, ...listeners.flatMap((each) => each.read(document))] }
  })
  return {
    dialect,
    async read(source, files) {
      const result = await reader.read(source, files)
      for (const { state, file, layer } of result.files) {
        if (state === 'failed') for (const each of listeners) each.keep({ dialect, file, layer })
      }
      return result
    },
  }
}
