import type { SourceRef } from './types.js'

/** `override`: the nearest entry of a name replaces the farther ones. `append`: all take effect. */
export type MergeStrategy = 'override' | 'append'

/** What a merge needs to know of an entry. */
export interface Mergeable {
  readonly name: string
  readonly source: SourceRef
}

/** The outcome of a merge. */
export interface Merged<T> {
  /** What takes effect, in the order given. */
  readonly kept: readonly T[]
  readonly shadowed: readonly { readonly entry: T; readonly by: T }[]
}

/**
 * Merges entries that are ordered farthest first. Pure, and knows nothing of trust: entries that wait for consent are
 * taken out before, so that they can never hide one that was approved.
 */
export function mergeEntries<T extends Mergeable>(entries: readonly T[], strategy: MergeStrategy): Merged<T> {
  if (strategy === 'append') return { kept: entries, shadowed: [] }
  const winners = new Map<string, T>()
  for (const entry of entries) winners.set(entry.name, entry)
  const shadowed: { entry: T; by: T }[] = []
  const kept = entries.filter((entry) => {
    const winner = winners.get(entry.name)
    if (winner === undefined || winner === entry) return true
    shadowed.push({ entry, by: winner })
    return false
  })
  return { kept, shadowed }
}
