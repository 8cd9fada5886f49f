import { diagnosticCodes } from '../codes.js'
import { createReporter } from '../diagnostic.js'
import { inTurns, type Pace } from '../pace.js'
import type { Diagnostic, Located, Outcome, SnapshotEntry } from '../types.js'
import { type Candidate, type Findings, recordOf } from './candidate.js'
import type { PipelineDefinition, Remake } from './definition.js'
import { guarded } from './guard.js'
import { RemadeEntry, remadeEntries } from './remake.js'

const report = createReporter(diagnosticCodes)

/** Compiles each entry at most once, whichever stage asks first. */
export interface Compiler<E, C> {
  /** Entries that only switch off are not compiled. */
  isOff(candidate: Candidate<E, C>): boolean
  compile(candidate: Candidate<E, C>): Outcome<C>
  /** What makes the value again, if it need not stay. */
  remake(value: C): Remake<E, C> | undefined
  /** The same for an entry that need not be compiled now. */
  later(candidate: Candidate<E, C>): Remake<E, C> | undefined
}

export function createCompiler<I, E, C, X>(definition: PipelineDefinition<I, E, C, X>, context: X): Compiler<E, C> {
  const compileEntry = (entry: Located<E>) => definition.compile(entry, context)
  return {
    isOff: ({ entry, name }) => definition.enabled?.(entry.value, name) === false,
    compile(candidate) {
      candidate.outcome ??= guarded(candidate.entry, compileEntry)
      return candidate.outcome
    },
    remake: (value) => definition.remake?.(value),
    later({ entry, failsAt, outcome }) {
      if (!definition.later || failsAt || outcome) return undefined
      try {
        return definition.later(entry, context)
      } catch {
        // What can't even say that much is compiled, which says why.
        return undefined
      }
    },
  }
}

/** Last stage: what is left becomes what takes effect. */
export async function compileEntries<E, C>(
  axis: string,
  candidates: readonly Candidate<E, C>[],
  compiler: Compiler<E, C>,
  pace: Pace,
): Promise<Findings & { readonly entries: readonly SnapshotEntry<C>[] }> {
  const { entries, settled, isOff, diagnostics } = await compileAll(candidates, compiler, pace)
  // As a rule these are the same, and need not be kept twice.
  const isRemade = (each: Candidate<E, C> | RemadeEntry<E, C>) => each instanceof RemadeEntry
  return {
    entries: settled.every(isRemade) ? settled : entries,
    // Made when somebody asks for them: they say nothing that is not known without them.
    get records() {
      return settled.map((each) => {
        if (each instanceof RemadeEntry) return recordOf(axis, { entry: each, name: each.name }, 'loaded')
        return recordOf(axis, each, each.loaded ? 'loaded' : isOff.has(each) ? 'disabled' : 'broken')
      })
    },
    diagnostics,
  }
}

interface Settled<E, C> {
  readonly entries: readonly SnapshotEntry<C>[]
  /** All of them: those that keep their value, are off or broken as candidates. */
  readonly settled: readonly (Candidate<E, C> | RemadeEntry<E, C>)[]
  readonly isOff: ReadonlySet<Candidate<E, C>>
  readonly diagnostics: readonly Diagnostic[]
}

/** Apart from what outlives the load, which would keep whatever the steps hold. */
async function compileAll<E, C>(
  candidates: readonly Candidate<E, C>[],
  compiler: Compiler<E, C>,
  pace: Pace,
): Promise<Settled<E, C>> {
  const entries: SnapshotEntry<C>[] = []
  const diagnostics: Diagnostic[] = []
  const settled: (Candidate<E, C> | RemadeEntry<E, C>)[] = []
  const isOff = new Set<Candidate<E, C>>()
  const remade = remadeEntries<E, C>()
  await inTurns(candidates, pace, (candidate) => {
    if (compiler.isOff(candidate)) {
      isOff.add(candidate)
      settled.push(candidate)
      diagnostics.push(...lastGoodNotice(candidate))
      return
    }
    const later = compiler.later(candidate)
    if (later) {
      const loaded = remade(candidate, later)
      candidate.loaded = loaded
      settled.push(loaded)
      entries.push(loaded)
      return
    }
    const { value, diagnostics: own } = compiler.compile(candidate)
    if (own.length > 0) diagnostics.push(...own)
    const remake = value === undefined || candidate.failsAt ? undefined : compiler.remake(value)
    if (value === undefined || !remake) settled.push(candidate)
    if (value === undefined) return
    if (remake) {
      const loaded = remade(candidate, remake, value)
      candidate.loaded = loaded
      settled.push(loaded)
    } else candidate.loaded = plainEntry(candidate, value)
    candidate.outcome = undefined
    entries.push(candidate.loaded)
    if (candidate.failsAt) diagnostics.push(...lastGoodNotice(candidate))
  })
  return { entries, settled, isOff, diagnostics }
}

function plainEntry<C>({ entry, name }: Candidate<unknown, C>, value: C): SnapshotEntry<C> {
  return Object.freeze({
    id: entry.id,
    name,
    value,
    source: entry.source,
    at: (pointer?: string, part?: 'key' | 'value') => entry.at(pointer, part),
  })
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
