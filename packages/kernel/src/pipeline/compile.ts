import type { Diagnostic, EntryRecord, Outcome, SnapshotEntry } from '../types.js'
import { type Candidate, type Findings, recordOf } from './candidate.js'
import type { PipelineDefinition } from './definition.js'
import { guarded } from './guard.js'

/** Compiles each entry at most once, whichever stage asks first. */
export interface Compiler<E, C> {
  /** Entries that only switch off are not compiled. */
  isOff(candidate: Candidate<E>): boolean
  compile(candidate: Candidate<E>): Outcome<C>
}

export function createCompiler<I, E, C, X>(definition: PipelineDefinition<I, E, C, X>, context: X): Compiler<E, C> {
  const outcomes = new Map<Candidate<E>, Outcome<C>>()
  return {
    isOff: ({ entry }) => definition.enabled?.(entry.value) === false,
    compile(candidate) {
      const outcome =
        outcomes.get(candidate) ?? guarded(candidate.entry, () => definition.compile(candidate.entry, context))
      outcomes.set(candidate, outcome)
      return outcome
    },
  }
}

/** Last stage: what is left becomes what takes effect. */
export function compileEntries<E, C>(
  axis: string,
  candidates: readonly Candidate<E>[],
  compiler: Compiler<E, C>,
): Findings & { readonly entries: readonly SnapshotEntry<C>[] } {
  const entries: SnapshotEntry<C>[] = []
  const records: EntryRecord[] = []
  const diagnostics: Diagnostic[] = []
  for (const candidate of candidates) {
    const { entry, name } = candidate
    if (compiler.isOff(candidate)) {
      records.push(recordOf(axis, entry, name, 'disabled'))
      continue
    }
    const compiled = compiler.compile(candidate)
    diagnostics.push(...compiled.diagnostics)
    records.push(recordOf(axis, entry, name, compiled.value === undefined ? 'broken' : 'loaded'))
    if (compiled.value !== undefined) {
      entries.push(Object.freeze({ id: entry.id, name, value: compiled.value, source: entry.source, at: entry.at }))
    }
  }
  return { entries, records, diagnostics }
}
