import type { MergeStrategy } from '../merge.js'
import { inTurns, type Pace } from '../pace.js'
import { parsePointer } from '../pointer.js'
import type { Diagnostic, EntryRecord, Located, Outcome } from '../types.js'
import { Candidate, type Findings, isApproved, recordOf, type Way } from './candidate.js'
import type { LoadHost, PipelineDefinition } from './definition.js'
import { guarded } from './guard.js'
import type { Inputs } from './read.js'

/** The entries that are well formed. */
export interface ValidatedEntries<E, C> extends Findings {
  readonly valid: readonly Candidate<E, C>[]
}

/** Second stage: each entry is validated on its own, and asked for its name and whether it needs consent. */
export async function validateEntries<I, E, C, X>(
  definition: PipelineDefinition<I, E, C, X>,
  inputs: readonly Inputs<I>[],
  context: X,
  host: LoadHost<E>,
  pace: Pace,
): Promise<ValidatedEntries<E, C>> {
  const valid: Candidate<E, C>[] = []
  const records: EntryRecord[] = []
  const diagnostics: Diagnostic[] = []
  for (const { entries, origin } of inputs) {
    const wayOf = ways(origin)
    const check = (input: Located<I>): Outcome<Candidate<E, C>> => {
      const { value, diagnostics: found } = definition.validate(input, context)
      if (value === undefined) return { diagnostics: found }
      const entry = withValue(input, value)
      const way = wayOf(definition.mergeOf?.(value) ?? definition.merge, definition.needsConsent(value))
      const approved = isApproved(entry, way.needsConsent, host)
      return { value: new Candidate(entry, definition.identity(entry), way, approved), diagnostics: found }
    }
    await inTurns(entries, pace, (input) => {
      const checked = guarded(input, check)
      if (checked.diagnostics.length > 0) diagnostics.push(...checked.diagnostics)
      if (checked.value) valid.push(checked.value)
      else records.push(recordOf(definition.axis, { entry: input, name: placeName(input) }, 'broken'))
    })
  }
  return { valid, records, diagnostics }
}

/** What validation has only looked at needs no copy. */
function withValue<I, E>(input: Located<I>, value: E): Located<E> {
  if (Object.is(value, input.value)) return input as Located<unknown> as Located<E>
  const { id, source, pointer } = input
  return { id, value, source, pointer, at: (relative, part) => input.at(relative, part) }
}

/** Most entries of a source go the same way. */
function ways(origin: string): (merge: MergeStrategy, needsConsent: boolean) => Way {
  let last: Way | undefined
  return (merge, needsConsent) => {
    if (last?.merge !== merge || last.needsConsent !== needsConsent) last = { origin, merge, needsConsent }
    return last
  }
}

/** What to call an entry that could not be asked for its name. */
function placeName(entry: Located<unknown>): string {
  return parsePointer(entry.pointer).at(-1) ?? entry.source.file ?? entry.source.name ?? entry.id
}
