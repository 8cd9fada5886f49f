import { resolve } from 'node:path'
import { nodePorts } from '@ext/kernel/node'
import type { LintProfile } from '@ext/skills/lint'
import type { Io } from '../../io.js'
import { describeDiagnostics, shorten } from '../../render/diagnostics.js'
import { jsonDiagnostics } from '../../render/json.js'
import { count, countSeverity } from '../../render/words.js'

export interface LintOptions {
  readonly profile: LintProfile
  readonly json?: boolean
}

/** Looks at skills as files, wherever they lie. */
export async function lint(paths: readonly string[], options: LintOptions, io: Io): Promise<number> {
  const { lintSkills } = await import('@ext/skills/lint')
  const report = await lintSkills({
    paths: paths.map((path) => resolve(path)),
    ports: nodePorts(),
    profile: options.profile,
  })
  const { found, loaded, diagnostics } = report
  const errors = countSeverity(diagnostics, 'error')
  const warnings = countSeverity(diagnostics, 'warning')
  if (options.json) {
    io.out(JSON.stringify({ ...report, diagnostics: jsonDiagnostics(diagnostics) }, null, 2))
  } else {
    for (const text of await describeDiagnostics(diagnostics, shorten(process.cwd()))) io.out(`${text}\n`)
    io.out(`${count(found, 'skill')} found, ${loaded} good: ${count(errors, 'error')}, ${count(warnings, 'warning')}`)
  }
  return errors + warnings > 0 ? 1 : 0
}
