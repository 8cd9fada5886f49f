import type { Pace } from '../pace.js'
import { parsePointer } from '../pointer.js'
import type { Diagnostic, EntryRecord, Located, Outcome } from '../types.js'
import { type Candidate, type Findings, isApproved, recordOf } from './candidate.js'
import type { LoadHost, PipelineDefinition } from './definition.js'
import { guarded } from './guard.js'
import type { Input } from './read.js'

/** The entries that are well formed. */
export interface ValidatedEntries<E> extends Findings {
  readonly valid: readonly Candidate<E>[]
}

/** Second stage: each entry is validated on its own, and asked for its name and whether it needs consent. */
export async function validateEntries<I, E, C, X>(
  definition: PipelineDefinition<I, E, C, X>,
  inputs: readonly Input<I>[],
  context: X,
  host: LoadHost<E>,
  pace: Pace,
): Promise<ValidatedEntries<E>> {
  const valid: Candidate<E>[] = []
  const records: EntryRecord[] = []
  const diagnostics: Diagnostic[] = []
  for (const { entry: input, origin } of inputs) {
    if (pace.isDue()) await pace.turn()
    const checked = guarded(input, (): Outcome<Candidate<E>> => {
      const outcome = definition.validate(input, context)
      if (outcome.value === undefined) return { diagnostics: outcome.diagnostics }
      const entry: Located<E> = { ...input, value: outcome.value }
      const needsConsent = definition.needsConsent(entry.value)
      const candidate = {
        entry,
        origin,
        name: definition.identity(entry),
        source: entry.source,
        merge: definition.mergeOf?.(entry.value) ?? definition.merge,
        needsConsent,
        approved: isApproved(entry, needsConsent, host),
      }
      return { value: candidate, diagnostics: outcome.diagnostics }
    })
    diagnostics.push(...checked.diagnostics)
    if (checked.value) valid.push(checked.value)
    else records.push(recordOf(definition.axis, { entry: input, name: placeName(input) }, 'broken'))
  }
  return { valid, records, diagnostics }
}

/** What to call an entry that could not be asked for its name. */
function placeName(entry: Located<unknown>): string {
  return parsePointer(entry.pointer).at(-1) ?? entry.source.file ?? entry.source.name ?? entry.id
}
