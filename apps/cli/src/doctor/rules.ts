import type { Diagnostic } from '@ext/kernel'
import { nodePorts } from '@ext/kernel/node'
import type { LintReport } from '@ext/permission/lint'
import type { Extensions } from '../compose.js'

/** What is said of a rule that does not do what it shows; the others are advice, for `ext permissions lint`. */
const NOT_AS_SHOWN: readonly string[] = [
  ...['unreachable', 'contradictory', 'unknown-tool', 'anchor', 'pattern', 'compound', 'specifier', 'blanks', 'mode'],
].map((name) => `permission.lint.${name}`)

/** Looks at all rules, approved or not: whether they are good does not depend on whether they count yet. */
export async function lintRules({ locations, tools }: Pick<Extensions, 'locations' | 'tools'>): Promise<LintReport> {
  const { lintPermissions } = await import('@ext/permission/lint')
  return lintPermissions({
    layers: [...locations.config, ...locations.claudePermissions],
    tools,
    cwd: locations.project,
    ports: nodePorts(),
    knownTools: ['load_skill'],
  })
}

/** Rules that are well formed and never have an effect, or another one than they show. */
export async function rulesInVain(extensions: Pick<Extensions, 'locations' | 'tools'>): Promise<readonly Diagnostic[]> {
  const { diagnostics } = await lintRules(extensions)
  return diagnostics.filter(({ code }) => NOT_AS_SHOWN.includes(code))
}
