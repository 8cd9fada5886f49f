import { type EntryRecord, formatPlace } from '@ext/kernel'
import { compose } from '../compose.js'
import type { Io } from '../io.js'
import { describeDiagnostics, shorten } from '../render/diagnostics.js'
import { count, countSeverity } from '../render/words.js'

export interface DoctorOptions {
  readonly project: string
  readonly trustProject?: boolean
  readonly json?: boolean
  readonly sarif?: boolean
}

/** Reads everything and starts nothing. */
export async function doctor(options: DoctorOptions, io: Io): Promise<number> {
  const extensions = await compose({
    project: options.project,
    trustProject: options.trustProject === true,
    connect: false,
  })
  try {
    const diagnostics = extensions.diagnostics()
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
      for (const record of extensions.files) if (record.state !== 'missing') io.out(`read  ${short(record.file)}`)
      io.out('')
      for (const record of sorted(extensions.records)) {
        io.out(
          `${record.verdict.padEnd(10)}${record.axis.padEnd(13)}${short(record.name)}  ${short(formatPlace(record.source))}`,
        )
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

/** What needs attention comes last, next to the summary. */
function sorted(records: readonly EntryRecord[]): readonly EntryRecord[] {
  const order = ['loaded', 'disabled', 'shadowed', 'untrusted', 'broken']
  return records.toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict))
}
