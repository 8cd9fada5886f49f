import { sortDiagnostics } from '../diagnostic.js'
import type { Snapshot } from '../types.js'
import type { Findings } from './candidate.js'

/** Joins what the stages have found into a snapshot that nobody can change. */
export function assemble<C>(
  parts: Pick<Snapshot<C>, 'axis' | 'entries' | 'files' | 'managedBroken'>,
  stages: readonly Findings[],
): Snapshot<C> {
  const { axis, entries, files, managedBroken } = parts
  return Object.freeze({
    axis,
    entries: Object.freeze(entries),
    records: Object.freeze(stages.flatMap((stage) => stage.records)),
    files: Object.freeze(files),
    diagnostics: Object.freeze(sortDiagnostics(stages.flatMap((stage) => stage.diagnostics))),
    managedBroken,
  })
}
