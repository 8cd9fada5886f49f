import { diagnosticCodes } from '../codes.js'
import { createReporter } from '../diagnostic.js'
import type { Pace } from '../pace.js'
import type { Diagnostic, Outcome, SnapshotEntry, Verdict } from '../types.js'
import { type Candidate, type Findings, recordOf } from './candidate.js'
import type { PipelineDefinition } from './definition.js'
import { guarded } from './guard.js'

const report = createReporter(diagnosticCodes)

/** Compiles each entry at most once, whichever stage asks first. */
export interface Compiler<E, C> {
  /** Entries that only switch off are not compiled. */
  isOff(candidate: Candidate<E>): boolean
  compile(candidate: Candidate<E>): Outcome<C>
  /** What has become of an entry that somebody has asked for. */
  compiled(candidate: Candidate<E>): Outcome<C> | undefined
  /** Takes over what was compiled in an earlier load. */
  adopt(candidate: Candidate<E>, value: C): void
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
    compiled: (candidate) => outcomes.get(candidate),
    adopt: (candidate, value) => void outcomes.set(candidate, { value, diagnostics: [] }),
  }
}

/** Last stage: what is left becomes what takes effect. */
export async function compileEntries<E, C>(
  axis: string,
  candidates: readonly Candidate<E>[],
  compiler: Compiler<E, C>,
  pace: Pace,
): Promise<Findings & { readonly entries: readonly SnapshotEntry<C>[] }> {
  const entries: SnapshotEntry<C>[] = []
  const verdicts: Verdict[] = []
  const diagnostics: Diagnostic[] = []
  for (const candidate of candidates) {
    if (pace.isDue()) await pace.turn()
    const { entry, name } = candidate
    if (compiler.isOff(candidate)) {
      verdicts.push('disabled')
      diagnostics.push(...lastGoodNotice(candidate))
      continue
    }
    const compiled = compiler.compile(candidate)
    diagnostics.push(...compiled.diagnostics)
    verdicts.push(compiled.value === undefined ? 'broken' : 'loaded')
    if (compiled.value !== undefined) {
      entries.push(Object.freeze({ id: entry.id, name, value: compiled.value, source: entry.source, at: entry.at }))
      diagnostics.push(...lastGoodNotice(candidate))
    }
  }
  return {
    entries,
    // Made when somebody asks for them: they say nothing that is not known without them.
    get records() {
      return candidates.map((candidate, index) => recordOf(axis, candidate, verdicts[index] ?? 'broken'))
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
