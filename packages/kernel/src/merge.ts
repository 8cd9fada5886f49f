import type { SourceRef } from './types.js'

/** `override`: the nearest entry of a name replaces the farther ones. `append`: all take effect. */
export type MergeStrategy = 'override' | 'append'

/** What a merge needs to know of an entry. */
export interface Mergeable {
  readonly name: string
  readonly source: SourceRef
  /** What the entry says itself; default: the strategy of its axis. */
  readonly merge?: MergeStrategy
}

/** Whether an entry may replace a farther one of its name. Entries of the managed layer always may. */
export type MayReplace = (winner: SourceRef, loser: SourceRef) => boolean

/** The outcome of a merge. */
export interface Merged<T> {
  /** What takes effect, in the order given. */
  readonly kept: readonly T[]
  readonly shadowed: readonly { readonly entry: T; readonly by: T }[]
  /** Entries that want to replace what they may not; they replace nothing and do not take effect. */
  readonly refused: readonly { readonly entry: T; readonly of: T }[]
}

/**
 * Merges entries that are ordered farthest first. An entry that overrides replaces all farther ones of its name, whatever
 * those say; one that appends stands beside them. Pure, and knows nothing of consent: entries that wait for it are taken
 * out before, so that they can never hide one that was approved.
 */
export function mergeEntries<T extends Mergeable>(
  entries: readonly T[],
  strategy: MergeStrategy,
  mayReplace: MayReplace = () => true,
): Merged<T> {
  // As a rule every name stands once, and of thousands none has to be held against another.
  if (new Set(entries.map(({ name }) => name)).size === entries.length) {
    return { kept: entries, shadowed: [], refused: [] }
  }
  const replacedBy = new Map<T, T>()
  const refusedFor = new Map<T, T>()
  for (const group of groupByName(entries)) {
    for (let at = group.length - 1; at > 0; at--) {
      const winner = group[at]
      if (!winner || (winner.merge ?? strategy) !== 'override') continue
      const farther = group.slice(0, at)
      const untouchable = farther.findLast(
        (loser) => winner.source.layer !== 'managed' && !mayReplace(winner.source, loser.source),
      )
      if (!untouchable) {
        for (const loser of farther) replacedBy.set(loser, winner)
        break
      }
      refusedFor.set(winner, untouchable)
    }
  }
  const shadowed: { entry: T; by: T }[] = []
  const refused: { entry: T; of: T }[] = []
  const kept = entries.filter((entry) => {
    const by = replacedBy.get(entry)
    const of = refusedFor.get(entry)
    if (by) shadowed.push({ entry, by })
    else if (of) refused.push({ entry, of })
    return !by && !of
  })
  return { kept, shadowed, refused }
}

function groupByName<T extends Mergeable>(entries: readonly T[]): Iterable<readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const entry of entries) {
    const group = groups.get(entry.name)
    if (group) group.push(entry)
    else groups.set(entry.name, [entry])
  }
  return groups.values()
}
