import { lintRules } from '../../doctor/rules.js'
import type { Io } from '../../io.js'
import { describeDiagnostics, shorten } from '../../render/diagnostics.js'
import { jsonDiagnostics } from '../../render/json.js'
import { count, countSeverity } from '../../render/words.js'
import { withExtensions } from '../read-extensions.js'

export interface LintOptions {
  readonly project: string
  readonly json?: boolean
}

/** Says what is wrong with the rules. */
export async function lint(options: LintOptions, io: Io): Promise<number> {
  return withExtensions({ project: options.project, trustProject: true }, io, async (extensions) => {
    const { rules, files, diagnostics } = await lintRules(extensions)
    const errors = countSeverity(diagnostics, 'error')
    const warnings = countSeverity(diagnostics, 'warning')
    if (options.json) {
      io.out(
        JSON.stringify(
          { summary: { errors, warnings }, rules, files, diagnostics: jsonDiagnostics(diagnostics) },
          null,
          2,
        ),
      )
    } else {
      for (const text of await describeDiagnostics(diagnostics, shorten(extensions.locations.project)))
        io.out(`${text}\n`)
      io.out(`${count(rules, 'rule')} read: ${count(errors, 'error')}, ${count(warnings, 'warning')}`)
    }
    return errors + warnings > 0 ? 1 : 0
  })
}
