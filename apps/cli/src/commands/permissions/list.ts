import { formatPlace, type Source, type Verdict } from '@ext/kernel'
import type { Behavior } from '@ext/kernel/contract'
import type { Extensions } from '../../compose.js'
import type { Io } from '../../io.js'
import { describeDiagnostics, shorten } from '../../render/diagnostics.js'
import { jsonDiagnostics } from '../../render/json.js'
import { count, countSeverity, oneLine, printable } from '../../render/words.js'
import { withExtensions } from '../read-extensions.js'

export interface ListOptions {
  readonly project: string
  readonly trustProject?: boolean
  readonly json?: boolean
}

interface ListedRule {
  readonly effect: Behavior
  readonly rule: string
  readonly verdict: Verdict
  readonly source: Source
}

/** Every rule with its place and what became of it, in the order in which the lists decide. */
export async function list(options: ListOptions, io: Io): Promise<number> {
  return withExtensions(options, io, (extensions) => showRules(extensions, options, io))
}

/** The same of what is loaded already. */
export async function showRules(
  { permission, locations }: Pick<Extensions, 'permission' | 'locations'>,
  options: Pick<ListOptions, 'json'>,
  io: Pick<Io, 'out'>,
): Promise<number> {
  const { records, diagnostics } = permission.snapshot
  const rules = (['deny', 'ask', 'allow'] as const).flatMap((effect): readonly ListedRule[] =>
    records.flatMap(({ name, verdict, source }) =>
      name.startsWith(`${effect} `) ? [{ effect, rule: name.slice(effect.length + 1), verdict, source }] : [],
    ),
  )
  const mode = permission.defaultMode
  const errors = countSeverity(diagnostics, 'error')
  if (options.json) {
    io.out(JSON.stringify({ mode, rules, diagnostics: jsonDiagnostics(diagnostics) }, null, 2))
    return errors > 0 ? 1 : 0
  }
  const short = shorten(locations.project)
  io.out(`mode ${mode}`)
  for (const { effect, rule, verdict, source } of rules) {
    const columns = effect.padEnd(7) + verdict.padEnd(11)
    io.out(printable(`${columns}${oneLine(rule)}  ${short(formatPlace(source))}`))
  }
  // The column has said it, once for all of them is enough.
  const others = diagnostics.filter(({ code }) => code !== 'config.entry.untrusted')
  if (others.length > 0) io.out('')
  for (const text of await describeDiagnostics(others, short)) io.out(`${text}\n`)
  if (rules.some(({ verdict }) => verdict === 'untrusted')) {
    io.out('Untrusted rules count once they are approved: read them, then use ext trust approve or --trust-project.')
  }
  io.out(`${count(rules.length, 'rule')}, ${count(errors, 'error')}`)
  return errors > 0 ? 1 : 0
}
