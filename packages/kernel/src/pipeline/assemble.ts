import { sortDiagnostics } from '../diagnostic.js'
import type { Snapshot } from '../types.js'
import type { Findings } from './candidate.js'

/**
 * Joins what the stages have found into a snapshot that nobody can change.
 * @param filesOf what was looked for, asked once when somebody wants to know
 * @param last what the last stage has found: by far the most records, which are made when somebody asks for them
 */
export function assemble<C>(
  parts: Pick<Snapshot<C>, 'axis' | 'entries' | 'managedBroken'>,
  stages: readonly Findings[],
  last: Findings,
  filesOf: () => Snapshot<C>['files'],
): Snapshot<C> {
  const { axis, entries, managedBroken } = parts
  // Taken now: the snapshot must not keep what the stages have worked on.
  const before = stages.flatMap((stage) => stage.records)
  const diagnostics = [...stages, last].flatMap((stage) => stage.diagnostics)
  let records: Snapshot<C>['records'] | undefined
  let files: Snapshot<C>['files'] | undefined
  return Object.freeze({
    axis,
    entries: Object.freeze(entries),
    get records() {
      records ??= Object.freeze([...before, ...last.records])
      return records
    },
    get files() {
      files ??= Object.freeze([...filesOf()])
      return files
    },
    diagnostics: Object.freeze(sortDiagnostics(diagnostics)),
    managedBroken,
  })
}
