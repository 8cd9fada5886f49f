import { createReporter, type Diagnostic, type FilesPort, isMap, openDocument, suggest } from '@ext/kernel'
import { POLICY_KEYS } from '@ext/kernel/policy'
import { diagnosticCodes } from './codes.js'
import type { Locations } from './locations.js'

const report = createReporter(diagnosticCodes)

const SECTIONS = [
  ...['mcpServers', 'hooks', 'disableAllHooks', 'disabledHooks', 'permissions', 'model', 'models', 'skills', 'audit'],
  ...Object.values(POLICY_KEYS).flat(),
]
const LATER = ['agents', 'compat']

export interface CliConfig {
  readonly diagnostics: readonly Diagnostic[]
}

/** Finds top-level keys that nobody reads. */
export async function readConfig(locations: Locations, files: FilesPort): Promise<CliConfig> {
  const diagnostics: Diagnostic[] = []
  for (const source of locations.config) {
    // Syntax errors are reported by every axis that reads the file; here they would only be said once more.
    const { document } = await openDocument(source, files)
    if (!document || !isMap(document.value)) continue
    for (const key of Object.keys(document.value)) {
      if (SECTIONS.includes(key)) continue
      const at = document.at(`/${key}`, 'key')
      const typo = suggest(key, SECTIONS)
      diagnostics.push(
        LATER.includes(key)
          ? report.warning('cli.section.not-supported', at, `The section \`${key}\` is not read by this version.`, {
              hint: 'Remove it, or keep it for a later version; until then it has no effect.',
            })
          : report.warning(
              'cli.section.unknown',
              at,
              `\`${key}\` is not a section of this file, so nothing reads it.`,
              {
                expected: SECTIONS,
                hint: typo ? `Did you mean \`${typo}\`?` : 'Remove it, or check its spelling.',
              },
            ),
      )
    }
  }
  return { diagnostics }
}
