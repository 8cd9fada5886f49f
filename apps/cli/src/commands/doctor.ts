import type { HookFault } from '@ext/hooks/types'
import { createReporter, type Diagnostic, type EntryRecord, formatPlace, type Verdict } from '@ext/kernel'
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

/** What became of an entry that was loaded, too, if nothing can come of it. */
export interface DiagnosedEntry extends Omit<EntryRecord, 'verdict'> {
  readonly verdict: Verdict | HookFault
}

/** Reads everything, scripts of hooks as well, and starts nothing. */
export async function doctor(options: DoctorOptions, io: Io): Promise<number> {
  const extensions = await readExtensions(options, io)
  try {
    const { hooks, others } = await extensions.hooks.doctor()
    const ofHooks = [...hooks.flatMap(({ reasons }) => reasons), ...others]
    const diagnostics = extensions.merge([...ofHooks, ...(await checkModel(extensions))])
    const faults = new Map(hooks.map(({ id, fault }) => [id, fault]))
    const entries = extensions.records.map((record): DiagnosedEntry => {
      const fault = record.axis === 'hooks' ? faults.get(record.id) : undefined
      return fault === undefined ? record : { ...record, verdict: fault }
    })
    const errors = countSeverity(diagnostics, 'error')
    const warnings = countSeverity(diagnostics, 'warning')
    if (options.sarif) {
      const { describeAsSarif } = await import('../render/sarif.js')
      io.out(await describeAsSarif(diagnostics, extensions.locations.project))
    } else if (options.json) {
      io.out(JSON.stringify({ summary: { errors, warnings }, files: extensions.files, entries, diagnostics }, null, 2))
    } else {
      const short = shorten(extensions.locations.project)
      for (const record of extensions.files)
        if (record.state !== 'missing') io.out(printable(`${record.state.padEnd(8)}${short(record.file)}`))
      io.out('')
      for (const record of sorted(entries)) {
        const columns = record.verdict.padEnd(13) + record.axis.padEnd(13)
        io.out(printable(`${columns}${oneLine(short(record.name))}  ${short(formatPlace(record.source))}`))
      }
      if (diagnostics.length > 0) io.out('')
      for (const text of await describeDiagnostics(diagnostics, short)) io.out(`${text}\n`)
      io.out(`${count(errors, 'error')}, ${count(warnings, 'warning')}`)
    }
    return errors > 0 ? 1 : 0
  } finally {
    await extensions.close()
  }
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

const ORDER: readonly DiagnosedEntry['verdict'][] = [
  ...(['loaded', 'disabled', 'shadowed', 'untrusted'] as const),
  ...(['never fires', 'cannot run', 'broken'] as const),
]

/** What needs attention comes last, next to the summary. */
function sorted(entries: readonly DiagnosedEntry[]): readonly DiagnosedEntry[] {
  return entries.toSorted((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict))
}
