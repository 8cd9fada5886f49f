import { createReporter, type Diagnostic, type FilesPort, isMap, openDocument, suggest } from '@ext/kernel'
import { POLICY_KEYS } from '@ext/kernel/policy'
import { diagnosticCodes } from './codes.js'
import { filesAbove } from './compat/above.js'
import { unreadSettings } from './compat/settings-keys.js'
import type { Locations } from './locations.js'

const report = createReporter(diagnosticCodes)

/** All keys that may stand at the top of our own files. */
export const SECTIONS: readonly string[] = [
  ...['mcpServers', 'hooks', 'disableAllHooks', 'disabledHooks', 'permissions', 'model', 'models', 'skills', 'agents'],
  ...['audit', 'compat'],
  ...Object.values(POLICY_KEYS).flat(),
]

export interface CliConfig {
  readonly diagnostics: readonly Diagnostic[]
}

/** Finds top-level keys that nobody reads, and files. */
export async function readConfig(locations: Locations, files: FilesPort): Promise<CliConfig> {
  const diagnostics: Diagnostic[] = [...filesAbove(locations)]
  for (const source of locations.config) {
    // Syntax errors are reported by every axis that reads the file; here they would only be said once more.
    const { document } = await openDocument(source, files)
    if (!document || !isMap(document.value)) continue
    for (const key of Object.keys(document.value)) {
      if (SECTIONS.includes(key)) continue
      const at = document.at(`/${key}`, 'key')
      const typo = suggest(key, SECTIONS)
      const hint = typo ? `Did you mean \`${typo}\`?` : 'Remove it, or check its spelling.'
      const message = `\`${key}\` is not a section of this file, so nothing reads it.`
      diagnostics.push(report.warning('cli.section.unknown', at, message, { expected: SECTIONS, hint }))
    }
  }
  // A file is read for its hooks, its rules, or both.
  const settings = new Map(
    [...locations.claudeHooks, ...locations.claudePermissions].map((place) => [place.path, place]),
  )
  for (const source of settings.values()) {
    const { document } = await openDocument(source, files)
    if (document) diagnostics.push(...unreadSettings(document))
  }
  return { diagnostics }
}
