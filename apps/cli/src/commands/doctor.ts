import { formatPlace } from '@ext/kernel'
import type { Extensions } from '../compose.js'
import { type DiagnosedEntry, diagnose } from '../doctor/diagnose.js'
import type { Io } from '../io.js'
import { describeDiagnostics, shorten } from '../render/diagnostics.js'
import { jsonDiagnostics } from '../render/json.js'
import { count, countSeverity, oneLine, printable } from '../render/words.js'
import { withExtensions } from './read-extensions.js'

export interface DoctorOptions {
  readonly project: string
  readonly trustProject?: boolean
  readonly json?: boolean
  readonly sarif?: boolean
}

/** Reads everything and starts nothing. */
export async function doctor(options: DoctorOptions, io: Io): Promise<number> {
  return withExtensions(options, io, (extensions) => showHealth(extensions, options, io))
}

/** The same of what is loaded already. */
export async function showHealth(
  extensions: Pick<Extensions, 'hooks' | 'merge' | 'models' | 'records' | 'servers' | 'files' | 'locations' | 'tools'>,
  options: Pick<DoctorOptions, 'json' | 'sarif'>,
  io: Pick<Io, 'out'>,
): Promise<number> {
  const { files, locations } = extensions
  const { entries, diagnostics } = await diagnose(extensions)
  const errors = countSeverity(diagnostics, 'error')
  const warnings = countSeverity(diagnostics, 'warning')
  const code = errors > 0 ? 1 : 0
  if (options.sarif) {
    const { describeAsSarif } = await import('../render/sarif.js')
    io.out(await describeAsSarif(diagnostics, locations.project))
    return code
  }
  if (options.json) {
    io.out(
      JSON.stringify(
        { summary: { errors, warnings }, files, entries, diagnostics: jsonDiagnostics(diagnostics) },
        null,
        2,
      ),
    )
    return code
  }
  const short = shorten(locations.project)
  for (const { file, state } of files) {
    if (state !== 'missing') io.out(printable(`${state.padEnd(8)}${short(file)}`))
  }
  io.out('')
  for (const { verdict, axis, name, source } of sorted(entries)) {
    const columns = verdict.padEnd(13) + axis.padEnd(13)
    io.out(printable(`${columns}${oneLine(short(name))}  ${short(formatPlace(source))}`))
  }
  if (diagnostics.length > 0) io.out('')
  for (const text of await describeDiagnostics(diagnostics, short)) io.out(`${text}\n`)
  io.out(`${count(errors, 'error')}, ${count(warnings, 'warning')}`)
  return code
}

const ORDER: readonly DiagnosedEntry['verdict'][] = [
  ...(['loaded', 'disabled', 'shadowed', 'untrusted'] as const),
  ...(['never fires', 'cannot run', 'broken'] as const),
]

/** What needs attention comes last, next to the summary. */
function sorted(entries: readonly DiagnosedEntry[]): readonly DiagnosedEntry[] {
  return entries.toSorted((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict))
}
