import { type Diagnostic, diagnosticCodes as kernelCodes } from '@ext/kernel'
import { toSarif } from '@ext/kernel/sarif'
import { diagnosticCodes as cliCodes } from '../codes.js'
import { version } from '../package.js'

/** Diagnostics as the text of a SARIF log, with a line of documentation for each code. */
export async function describeAsSarif(diagnostics: readonly Diagnostic[], project: string): Promise<string> {
  const packages = await Promise.all([
    import('@ext/agent-core'),
    import('@ext/hooks'),
    import('@ext/mcp-client'),
    import('@ext/permission'),
    import('@ext/skills'),
  ])
  const codes = Object.assign({}, kernelCodes, ...packages.map(({ diagnosticCodes }) => diagnosticCodes), cliCodes)
  return JSON.stringify(toSarif(diagnostics, { tool: { name: 'ext', version }, codes, root: project }), null, 2)
}
