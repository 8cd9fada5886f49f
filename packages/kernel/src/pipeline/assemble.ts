import { sortDiagnostics } from '../diagnostic.js'
import type { Snapshot } from '../types.js'
import type { Findings } from './candidate.js'

/** Joins what the stages have found into a snapshot that nobody can change. */
export function assemble<C>(
  parts: Pick<Snapshot<C>, 'axis' | 'entries' | 'files' | 'managedBroken'>,
  stages: readonly Findings[],
): Snapshot<C> {
  const { axis, entries, files, managedBroken } = parts
  let records: Snapshot<C>['records'] | undefined
  return Object.freeze({
    axis,
    entries: Object.freeze(entries),
    get records() {
      records ??= Object.freeze(stages.flatMap((stage) => stage.records))
      return records
    },
    files: Object.freeze(files),
    diagnostics: Object.freeze(sortDiagnostics(stages.flatMap((stage) => stage.diagnostics))),
    managedBroken,
  })
}
