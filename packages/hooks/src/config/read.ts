import {
  type ConfigDocument,
  createReporter,
  type Diagnostic,
  documentReader,
  type FoundEntries,
  isMap,
  joinPointer,
  type Located,
  listEntries,
  type Reader,
} from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import type { HookInput, HookOwner } from './entry.js'
import { findClaudeHooks } from './read-claude.js'
import type { Switches } from './switches.js'

const report = createReporter(diagnosticCodes)

/** Reads our own configuration files. */
export function extReader(switches: Switches): Reader<HookInput> {
  return settingsReader('ext', switches, (document) => findRules(document))
}

/** Reads Claude Code's settings files. */
export function claudeReader(switches: Switches): Reader<HookInput> {
  return settingsReader('claude-settings', switches, (document) => {
    const { entries, broken = [], diagnostics = [] } = findClaudeHooks(document)
    return { entries, broken, diagnostics: [...diagnostics, ...unreadPolicies(document)] }
  })
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

/** A file that can also switch hooks off. */
function settingsReader(
  dialect: string,
  switches: Switches,
  find: (document: ConfigDocument) => FoundEntries<HookInput>,
): Reader<HookInput> {
  const reader = documentReader(dialect, (document) => {
    const { entries, broken = [], diagnostics = [] } = find(document)
    return { entries, broken, diagnostics: [...diagnostics, ...switches.read(document)] }
  })
  return {
    dialect,
    async read(source, files) {
      const result = await reader.read(source, files)
      for (const { state, file, layer } of result.files) if (state === 'failed') switches.keep({ dialect, file, layer })
      return result
    },
  }
}

const POLICIES = ['allowManagedHooksOnly', 'allowedHttpHookUrls', 'httpHookAllowedEnvVars']

function unreadPolicies(document: ConfigDocument): readonly Diagnostic[] {
  const { value: root } = document
  if (!isMap(root)) return []
  return POLICIES.filter((key) => Object.hasOwn(root, key)).map((key) => {
    const pointer = joinPointer('', key)
    const message = `\`${key}\` is not supported by this version.`
    const hint = 'Nothing reads it: hooks load as if it were not there.'
    return report.warning('hooks.key.unsupported', document.at(pointer, 'key'), message, { pointer, hint })
  })
}
