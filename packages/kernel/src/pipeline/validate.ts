import { isForeignLayer } from '../layers.js'
import { parsePointer } from '../pointer.js'
import type { Diagnostic, EntryRecord, Located, Outcome } from '../types.js'
import { type Candidate, type Findings, recordOf } from './candidate.js'
import type { LoadHost, PipelineDefinition } from './definition.js'
import { guarded } from './guard.js'

/** The entries that are well formed. */
export interface ValidatedEntries<E> extends Findings {
  readonly valid: readonly Candidate<E>[]
}

/** Second stage: each entry is validated on its own, and asked for its name and whether it needs consent. */
export function validateEntries<I, E, C, X>(
  definition: PipelineDefinition<I, E, C, X>,
  inputs: readonly Located<I>[],
  context: X,
  host: LoadHost<E>,
): ValidatedEntries<E> {
  const valid: Candidate<E>[] = []
  const records: EntryRecord[] = []
  const diagnostics: Diagnostic[] = []
  for (const input of inputs) {
    const checked = guarded(input, (): Outcome<Candidate<E>> => {
      const outcome = definition.validate(input, context)
      if (outcome.value === undefined) return { diagnostics: outcome.diagnostics }
      const entry: Located<E> = { ...input, value: outcome.value }
      const needsConsent = definition.needsConsent(entry.value)
      const candidate = {
        entry,
        name: definition.identity(entry),
        source: entry.source,
        needsConsent,
        approved: needsConsent && isForeignLayer(entry.source.layer) && host.approved?.(entry) === true,
      }
      return { value: candidate, diagnostics: outcome.diagnostics }
    })
    diagnostics.push(...checked.diagnostics)
    if (checked.value) valid.push(checked.value)
    else
      records.push(recordOf(definition.axis, input, parsePointer(input.pointer).at(-1) ?? sourceName(input), 'broken'))
  }
  return { valid, records, diagnostics }
}

function sourceName(entry: Located<unknown>): string {
  return entry.source.file ?? entry.source.name ?? entry.id
}
