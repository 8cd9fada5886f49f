import type { HookFault } from '@ext/hooks/types'
import { createReporter, type Diagnostic, type EntryRecord, type Verdict } from '@ext/kernel'
import { diagnosticCodes } from './codes.js'
import type { Extensions } from './compose.js'

const report = createReporter(diagnosticCodes)

/** What became of an entry that was loaded, too, if nothing can come of it. */
export interface DiagnosedEntry extends Omit<EntryRecord, 'verdict'> {
  readonly verdict: Verdict | HookFault
}

/** Every entry with what became of it, and all that there is to say. */
export interface Diagnosis {
  readonly entries: readonly DiagnosedEntry[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Looks at everything, scripts of hooks as well, and starts nothing. */
export async function diagnose(
  extensions: Pick<Extensions, 'hooks' | 'merge' | 'models' | 'records'>,
): Promise<Diagnosis> {
  const { hooks, others } = await extensions.hooks.doctor()
  const ofHooks = [...hooks.flatMap(({ reasons }) => reasons), ...others]
  const faults = new Map(hooks.map(({ id, fault }) => [id, fault]))
  return {
    entries: extensions.records.map((record): DiagnosedEntry => {
      const fault = record.axis === 'hooks' ? faults.get(record.id) : undefined
      return fault === undefined ? record : { ...record, verdict: fault }
    }),
    diagnostics: extensions.merge([...ofHooks, ...(await checkModel(extensions))]),
  }
}

/** A session would end before it begins if its model can't be used. */
async function checkModel({ models }: Pick<Extensions, 'models'>): Promise<readonly Diagnostic[]> {
  const { configured } = models
  if (!configured) return []
  const chosen = await models.choose()
  if (!('problem' in chosen)) return chosen.diagnostics
  const { problem, hint } = chosen
  return [...chosen.diagnostics, report.error('cli.model.unusable', configured.at(), problem, { hint })]
}
