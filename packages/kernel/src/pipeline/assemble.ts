import { sortDiagnostics } from '../diagnostic.js'
import type { FileRecord, Snapshot, SnapshotEntry } from '../types.js'
import type { Findings } from './candidate.js'

/** Joins what the stages have found into a snapshot that nobody can change. */
export function assemble<C>(
  axis: string,
  entries: readonly SnapshotEntry<C>[],
  files: readonly FileRecord[],
  stages: readonly Findings[],
): Snapshot<C> {
  return Object.freeze({
    axis,
    entries: Object.freeze(entries),
    records: Object.freeze(stages.flatMap((stage) => stage.records)),
    files: Object.freeze(files),
    diagnostics: Object.freeze(sortDiagnostics(stages.flatMap((stage) => stage.diagnostics))),
  })
}
