/** What was sent before, and where somebody is who looks through it. */
export interface History {
  /** The oldest first. */
  readonly entries: readonly string[]
  /** Which of them is shown; as many as there are for what is being written. */
  readonly at: number
  /** What was being written when the looking began. */
  readonly draft: string
}

/** As many are kept. */
export const MOST = 1000

export function historyOf(entries: readonly string[]): History {
  return { entries, at: entries.length, draft: '' }
}

/** With what was sent now; the same twice in a row counts once. */
export function remember({ entries }: History, text: string): History {
  if (text.trim() === '' || entries.at(-1) === text) return historyOf(entries)
  return historyOf([...entries, text].slice(-MOST))
}

/**
 * One step to what is older or newer.
 * @param current what stands in the input now
 * @returns `undefined` where there is no more
 */
export function step(
  history: History,
  by: 'older' | 'newer',
  current: string,
): { readonly history: History; readonly text: string } | undefined {
  const { entries, at, draft } = history
  const to = by === 'older' ? at - 1 : at + 1
  if (to < 0 || to > entries.length) return undefined
  const kept = at === entries.length ? current : draft
  return { history: { entries, at: to, draft: kept }, text: entries[to] ?? kept }
}
