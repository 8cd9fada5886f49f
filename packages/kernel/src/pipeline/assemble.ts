import { sortDiagnostics } from '../diagnostic.js'
import type { Snapshot } from '../types.js'
import type { Findings } from './candidate.js'

/**
 * Joins what the stages have found into a snapshot that nobody can change.
 * @param last what the last stage has found: by far the most records, which are made when somebody asks for them
 */
export function assemble<C>(
  parts: Pick<Snapshot<C>, 'axis' | 'entries' | 'files' | 'managedBroken'>,
  stages: readonly Findings[],
  last: Findings,
): Snapshot<C> {
  const { axis, entries, files, managedBroken } = parts
  // Taken now: the snapshot must not keep what the stages have worked on.
  const before = stages.flatMap((stage) => stage.records)
  const diagnostics = [...stages, last].flatMap((stage) => stage.diagnostics)
  let records: Snapshot<C>['records'] | undefined
  return Object.freeze({
    axis,
    entries: Object.freeze(entries),
    get records() {
      records ??= Object.freeze([...before, ...last.records])
      return records
    },
    files: Object.freeze(files),
    diagnostics: Object.freeze(sortDiagnostics(diagnostics)),
    managedBroken,
  })
}
