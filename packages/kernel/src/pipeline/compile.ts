import { diagnosticCodes } from '../codes.js'
import { createReporter } from '../diagnostic.js'
import type { Pace } from '../pace.js'
import type { Diagnostic, Outcome, SnapshotEntry, Verdict } from '../types.js'
import { type Candidate, type Findings, recordOf } from './candidate.js'
import type { PipelineDefinition, Remake } from './definition.js'
import { guarded } from './guard.js'
import { RemadeValues } from './remake.js'

const report = createReporter(diagnosticCodes)

/** Compiles each entry at most once, whichever stage asks first. */
export interface Compiler<E, C> {
  /** Entries that only switch off are not compiled. */
  isOff(candidate: Candidate<E, C>): boolean
  compile(candidate: Candidate<E, C>): Outcome<C>
  /** What makes the value again, if it need not stay. */
  remake(value: C): Remake<E, C> | undefined
}

export function createCompiler<I, E, C, X>(definition: PipelineDefinition<I, E, C, X>, context: X): Compiler<E, C> {
  return {
    isOff: ({ entry, name }) => definition.enabled?.(entry.value, name) === false,
    compile(candidate) {
      candidate.outcome ??= guarded(candidate.entry, () => definition.compile(candidate.entry, context))
      return candidate.outcome
    },
    remake: (value) => definition.remake?.(value),
  }
}

/** Last stage: what is left becomes what takes effect. */
export async function compileEntries<E, C>(
  axis: string,
  candidates: readonly Candidate<E, C>[],
  compiler: Compiler<E, C>,
  pace: Pace,
): Promise<Findings & { readonly entries: readonly SnapshotEntry<C>[] }> {
  const entries: SnapshotEntry<C>[] = []
  const diagnostics: Diagnostic[] = []
  const isOff = new Set<Candidate<E, C>>()
  const values = new RemadeValues<E, C>()
  const made: C[] = []
  for (const candidate of candidates) {
    if (pace.isDue()) await pace.turn()
    if (compiler.isOff(candidate)) {
      isOff.add(candidate)
      diagnostics.push(...lastGoodNotice(candidate))
      continue
    }
    const { entry, name } = candidate
    const { value, diagnostics: own } = compiler.compile(candidate)
    if (own.length > 0) diagnostics.push(...own)
    if (value === undefined) continue
    const remake = compiler.remake(value)
    if (remake) made.push(value)
    candidate.loaded = remake
      ? values.add(entry, name, remake)
      : Object.freeze({ id: entry.id, name, value, source: entry.source, at: entry.at })
    candidate.outcome = undefined
    entries.push(candidate.loaded)
    if (candidate.failsAt) diagnostics.push(...lastGoodNotice(candidate))
  }
  values.keep(made)
  const verdictOf = (candidate: Candidate<E, C>): Verdict =>
    candidate.loaded ? 'loaded' : isOff.has(candidate) ? 'disabled' : 'broken'
  return {
    entries,
    // Made when somebody asks for them: they say nothing that is not known without them.
    get records() {
      return candidates.map((candidate) => recordOf(axis, candidate, verdictOf(candidate)))
    },
    diagnostics,
  }
}

function lastGoodNotice({ entry, name, failsAt }: Candidate<unknown>): readonly Diagnostic[] {
  if (!failsAt) return []
  const message = `\`${name}\` stays as it was, since what the file holds now can't be used.`
  return [
    report.warning('config.entry.last-good', failsAt, message, {
      entry: entry.id,
      pointer: entry.pointer,
      hint: 'Fix what is wrong here; the next reload takes it over. A new start would come up without it.',
    }),
  ]
}
