import type { HookFault } from '@ext/hooks/types'
import { createReporter, type Diagnostic, type EntryRecord, type Verdict } from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import type { Extensions } from '../compose.js'
import { missingPrograms } from './programs.js'
import { rulesInVain } from './rules.js'
import { unreadFiles } from './unread.js'

const report = createReporter(diagnosticCodes)

/** Also of an entry that is well formed, if nothing can come of it: no event makes it run, or no start can succeed. */
export interface DiagnosedEntry extends Omit<EntryRecord, 'verdict'> {
  readonly verdict: Verdict | HookFault
}

/** Every entry with what became of it, and all that there is to say. */
export interface Diagnosis {
  readonly entries: readonly DiagnosedEntry[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Looks at everything, scripts of hooks and programs of servers as well, and starts nothing. */
export async function diagnose(
  extensions: Pick<Extensions, 'hooks' | 'locations' | 'merge' | 'models' | 'records' | 'servers' | 'tools'>,
): Promise<Diagnosis> {
  const { hooks, others } = await extensions.hooks.doctor()
  const ofHooks = [...hooks.flatMap(({ reasons }) => reasons), ...others]
  const programs = missingPrograms(extensions)
  const faults = new Map(hooks.map(({ id, fault }) => [id, fault]))
  const missing = new Set(programs.map(({ entry }) => entry))
  const faultOf = ({ axis, id, stale }: EntryRecord): DiagnosedEntry['verdict'] | undefined => {
    if (axis === 'hooks') return faults.get(id)
    return axis === 'servers' && missing.has(id) && !stale ? 'cannot run' : undefined
  }
  return {
    entries: extensions.records.map((record) => {
      const verdict = faultOf(record)
      return verdict === undefined ? record : { ...record, verdict }
    }),
    diagnostics: extensions.merge([
      ...ofHooks,
      ...programs,
      ...(await rulesInVain(extensions)),
      ...(await unreadFiles(extensions.locations)),
      ...(await checkModel(extensions)),
    ]),
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
