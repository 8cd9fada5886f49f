import { sourceOf } from '../document/document.js'
import type { Diagnostic, EntryRecord, FileRecord, Located, Outcome, Snapshot, Source } from '../types.js'
import { Candidate, type Findings, isApproved, recordOf } from './candidate.js'
import type { Compiler } from './compile.js'
import type { LoadHost } from './definition.js'
import { guarded } from './guard.js'
import type { ReadSources } from './read.js'
import { RemadeEntry } from './remake.js'
import type { ValidatedEntries } from './validate.js'

/** What a pipeline remembers of a snapshot: every entry that was good, also one that had no effect then. */
export interface LastGood<E, C> {
  readonly candidates: readonly Candidate<E, C>[]
  /** Ids of everything that was found. */
  readonly ids: readonly string[]
}

/**
 * @param candidates what took part in consent and merge, and was not refused there
 * @returns what tells it when a later load asks, and keeps little until then
 */
export function rememberGood<E, C>(
  snapshot: Snapshot<C>,
  candidates: readonly Candidate<E, C>[],
): () => LastGood<E, C> {
  const good: (Candidate<E, C> | RemadeEntry<E, C>)[] = []
  for (const candidate of candidates) {
    const { loaded, outcome } = candidate
    if (loaded instanceof RemadeEntry) good.push(loaded)
    // What was shadowed is compiled when a later load needs it.
    else if (!outcome || outcome.value !== undefined) good.push(candidate)
  }
  const { entries } = snapshot
  // As a rule these are the same, and need not be kept twice.
  const own = good.length === entries.length && good.every((each, index) => each === entries[index]) ? undefined : good
  return () => ({
    candidates: (own ?? (entries as readonly RemadeEntry<E, C>[])).map((each) =>
      each instanceof RemadeEntry ? each.candidate() : each,
    ),
    ids: snapshot.records.map(({ id }) => id),
  })
}

/**
 * Between validation and consent of a reload: what can't be used any more is replaced by its last good version, in its
 * old place among its siblings.
 */
export function keepLastGood<E, C>(
  axis: string,
  last: LastGood<E, C>,
  { read, validated }: { readonly read: ReadSources<unknown>; readonly validated: ValidatedEntries<E, C> },
  compiler: Compiler<E, C>,
  host: LoadHost<E>,
): ValidatedEntries<E, C> {
  const { good, broken } = setBrokenApart(axis, last, validated, compiler)
  const records = [...validated.records, ...broken.records]
  const diagnostics = [...validated.diagnostics, ...broken.diagnostics]
  const failures = failuresOf({
    last,
    good,
    records: [...read.records, ...records],
    files: read.files(),
    diagnostics: [...read.diagnostics, ...diagnostics],
  })
  const kept: Candidate<E, C>[] = []
  for (const candidate of last.candidates) {
    const failsAt = failures(candidate)
    if (!failsAt || !wasGood(candidate, compiler)) continue
    const { entry, name, way } = candidate
    const again = guarded(
      entry,
      (): Outcome<Candidate<E, C>> => ({
        value: new Candidate(entry, name, way, isApproved(entry, way.needsConsent, host), failsAt),
        diagnostics: [],
      }),
    )
    diagnostics.push(...again.diagnostics)
    if (!again.value) {
      records.push(recordOf(axis, { entry, name, failsAt }, 'broken'))
      continue
    }
    const value = candidate.loaded?.value ?? candidate.outcome?.value
    if (value !== undefined) again.value.outcome = { value, diagnostics: [] }
    kept.push(again.value)
  }
  const order = last.candidates.map(({ entry }) => entry.id)
  const valid = read.origins.flatMap((origin) => {
    const ofOrigin = (candidates: readonly Candidate<E, C>[]) => candidates.filter((each) => each.way.origin === origin)
    return insertInOrder(ofOrigin(good), ofOrigin(kept), order)
  })
  return { valid, records, diagnostics }
}

/** Entries that are well formed and can't be compiled, though they could before, have to be known before the merge. */
function setBrokenApart<E, C>(
  axis: string,
  last: LastGood<E, C>,
  { valid }: ValidatedEntries<E, C>,
  compiler: Compiler<E, C>,
): { readonly good: readonly Candidate<E, C>[]; readonly broken: Findings } {
  const known = new Map(last.candidates.map((candidate) => [candidate.entry.id, candidate]))
  const works = (each: Candidate<E, C>) => {
    const before = known.get(each.entry.id)
    return (
      !before ||
      compiler.isOff(each) ||
      compiler.later(each) !== undefined ||
      compiler.compile(each).value !== undefined ||
      !wasGood(before, compiler)
    )
  }
  const broken = valid.filter((each) => !works(each))
  return {
    good: valid.filter(works),
    broken: {
      records: broken.map((each) => recordOf(axis, each, 'broken')),
      diagnostics: broken.flatMap((each) => compiler.compile(each).diagnostics),
    },
  }
}

/** What was shadowed has not been compiled, and may never have been good. */
function wasGood<E, C>(candidate: Candidate<E, C>, compiler: Compiler<E, C>): boolean {
  if (candidate.loaded || compiler.isOff(candidate)) return true
  return compiler.compile(candidate).value !== undefined
}

interface Now<E> {
  readonly last: LastGood<E, unknown>
  readonly good: readonly Candidate<E>[]
  readonly records: readonly EntryRecord[]
  readonly files: readonly FileRecord[]
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Where the new version of an entry fails; nothing if it is good, or gone because somebody removed it. Values have no
 * last good version: whoever hands them over has it.
 */
function failuresOf<E>({
  last,
  good,
  records,
  files,
  diagnostics,
}: Now<E>): (candidate: Candidate<E>) => Source | undefined {
  const goodIds = new Set(good.map(({ entry }) => entry.id))
  const broken = new Map(records.map((record) => [record.id, record]))
  const ids = [...goodIds, ...broken.keys()]
  const before = new Map(last.candidates.map(({ entry, name }) => [entry.id, name]))
  // What stands in another place of its list now is not what is broken in its old one.
  const moved = new Set(good.filter(({ entry, name }) => before.get(entry.id) !== name).map(fileAndName))
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  const failed = files.filter(({ state }) => state === 'failed')

  return (candidate) => {
    const { entry } = candidate
    const { layer, dialect, file } = entry.source
    if (file === undefined || goodIds.has(entry.id)) return undefined
    const record = broken.get(entry.id)
    if (record && !moved.has(fileAndName(candidate)) && sameList(entry, ids, last.ids)) {
      return errors.find((each) => each.entry === entry.id)?.source ?? record.source
    }
    const failure = failed.find(
      (each) => each.layer === layer && each.dialect === dialect && isAtOrBelow(file, each.file),
    )
    const here = errors.filter(({ source }) => source.layer === layer && source.file === (failure?.file ?? file))
    if (failure) return here[0]?.source ?? sourceOf({ layer, dialect, file: failure.file })
    const part = here.find(
      (each) => each.entry === undefined && each.pointer !== undefined && isAtOrBelow(entry.pointer, each.pointer),
    )
    // A folder in between that can't be listed has no record of its own.
    const folder = errors.find(({ source }) => source.layer === layer && file.startsWith(`${source.file}/`))
    return (part ?? folder)?.source
  }
}

function fileAndName({ entry, name }: Candidate<unknown>): string {
  return JSON.stringify([entry.source.layer, entry.source.file, name])
}

/** Entries of lists are known by their index: only in a list of the same length does it still mean the same one. */
function sameList({ id, pointer }: Located<unknown>, now: readonly string[], before: readonly string[]): boolean {
  const index = pointer.search(/\/\d+(\/|$)/)
  if (index === -1) return true
  const list = id.slice(0, id.length - pointer.length + index + 1)
  const inList = (ids: readonly string[]) => new Set(ids.filter((each) => each.startsWith(list)))
  const [a, b] = [inList(now), inList(before)]
  return a.size === b.size && [...a].every((each) => b.has(each))
}

/** For paths and for JSON pointers. */
function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

/** Puts each kept entry behind the one that stood before it. */
function insertInOrder<E, C>(
  good: readonly Candidate<E, C>[],
  kept: readonly Candidate<E, C>[],
  order: readonly string[],
): readonly Candidate<E, C>[] {
  if (kept.length === 0) return good
  const rank = new Map(order.map((id, index) => [id, index]))
  const result = [...good]
  for (const each of kept) {
    const own = rank.get(each.entry.id) ?? 0
    const behind = result.findLastIndex(({ entry }) => (rank.get(entry.id) ?? Number.POSITIVE_INFINITY) < own)
    result.splice(behind + 1, 0, each)
  }
  return result
}
