import { createReporter, type Diagnostic, type EntryRecord, formatPlace, sortDiagnostics } from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import type { Extensions } from '../compose.js'
import type { Io } from '../io.js'
import { describeDiagnostics, shorten } from '../render/diagnostics.js'
import { count, countSeverity, oneLine, printable } from '../render/words.js'
import { readExtensions } from './read-extensions.js'

const report = createReporter(diagnosticCodes)

export interface DoctorOptions {
  readonly project: string
  readonly trustProject?: boolean
  readonly json?: boolean
  readonly sarif?: boolean
}

/** Reads everything and starts nothing. */
export async function doctor(options: DoctorOptions, io: Io): Promise<number> {
  const extensions = await readExtensions(options, io)
  try {
    return await showHealth(extensions, options, io)
  } finally {
    await extensions.close()
  }
}

/** The same of what is loaded already. */
export async function showHealth(
  extensions: Extensions,
  options: Pick<DoctorOptions, 'json' | 'sarif'>,
  io: Pick<Io, 'out'>,
): Promise<number> {
  const diagnostics = sortDiagnostics([...extensions.diagnostics(), ...(await checkModel(extensions))])
  const errors = countSeverity(diagnostics, 'error')
  const warnings = countSeverity(diagnostics, 'warning')
  if (options.sarif) {
    const { describeAsSarif } = await import('../render/sarif.js')
    io.out(await describeAsSarif(diagnostics, extensions.locations.project))
  } else if (options.json) {
    const entries = extensions.records
    io.out(JSON.stringify({ summary: { errors, warnings }, files: extensions.files, entries, diagnostics }, null, 2))
  } else {
    const short = shorten(extensions.locations.project)
    for (const record of extensions.files)
      if (record.state !== 'missing') io.out(printable(`${record.state.padEnd(8)}${short(record.file)}`))
    io.out('')
    for (const record of sorted(extensions.records)) {
      const columns = record.verdict.padEnd(10) + record.axis.padEnd(13)
      io.out(printable(`${columns}${oneLine(short(record.name))}  ${short(formatPlace(record.source))}`))
    }
    if (diagnostics.length > 0) io.out('')
    for (const text of await describeDiagnostics(diagnostics, short)) io.out(`${text}\n`)
    io.out(`${count(errors, 'error')}, ${count(warnings, 'warning')}`)
  }
  return errors > 0 ? 1 : 0
}

/** A session would end before it begins if its model can't be used. */
async function checkModel({ models }: Extensions): Promise<readonly Diagnostic[]> {
  const { configured } = models
  if (!configured) return []
  const chosen = await models.choose()
  if (!('problem' in chosen)) return chosen.diagnostics
  const { problem, hint } = chosen
  return [...chosen.diagnostics, report.error('cli.model.unusable', configured.at(), problem, { hint })]
}

/** What needs attention comes last, next to the summary. */
function sorted(records: readonly EntryRecord[]): readonly EntryRecord[] {
  const order = ['loaded', 'disabled', 'shadowed', 'untrusted', 'broken']
  return records.toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict))
}
