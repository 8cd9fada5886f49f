import { createReporter, type Diagnostic, describe, type FilesPort, isMap, openDocument } from '@ext/kernel'
import { diagnosticCodes } from './codes.js'
import type { Locations } from './locations.js'

const report = createReporter(diagnosticCodes)

/** Whether tool calls are written down. */
export interface AuditConfig {
  readonly enabled: boolean
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Reads the switch `audit`: of the person, and after that of the administrator. A project can't have its calls left out.
 */
export async function readAuditConfig(locations: Locations, files: FilesPort): Promise<AuditConfig> {
  let enabled = true
  const diagnostics: Diagnostic[] = []
  for (const source of locations.config) {
    const { document } = await openDocument(source, files)
    if (!document || !isMap(document.value)) continue
    const { audit } = document.value
    const at = document.at('/audit')
    if (audit === undefined) continue
    if (source.layer !== 'user' && source.layer !== 'managed') {
      const message = `\`audit\` has no effect in a ${source.layer} file.`
      const hint = 'Remove it here; the person and the administrator of this machine can set it.'
      diagnostics.push(report.warning('cli.audit.misplaced', at, message, { hint }))
    } else if (typeof audit === 'boolean') enabled = audit
    else {
      const message = `\`audit\` is ${describe(audit)}, not true or false.`
      const hint = 'Write true or false; until then calls are written down.'
      diagnostics.push(report.error('cli.audit.invalid', at, message, { hint }))
      enabled = true
    }
  }
  return { enabled, diagnostics }
}
