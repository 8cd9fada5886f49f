import { type EntryRecord, formatPlace, type Snapshot } from '@ext/kernel'

/** What became of each configured server: of several entries of one name, the one that counts. */
export function serversOf({ records }: Pick<Snapshot<unknown>, 'records'>): readonly EntryRecord[] {
  const order: readonly EntryRecord['verdict'][] = ['shadowed', 'disabled', 'untrusted', 'broken', 'loaded']
  const rank = ({ verdict }: EntryRecord) => order.indexOf(verdict)
  const byName = new Map<string, EntryRecord>()
  for (const record of records) {
    const known = byName.get(record.name)
    if (!known || rank(record) > rank(known)) byName.set(record.name, record)
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Why an entry is not started, and what can be done about it. */
export function whyNotStarted(
  { id, verdict, source }: EntryRecord,
  { diagnostics }: Snapshot<unknown>,
): { readonly cause?: string; readonly hint?: string } {
  if (verdict === 'untrusted') {
    const hint = 'Read what it would do with ext trust list, then use ext trust approve or --trust-project.'
    return { cause: 'nobody has approved it', hint }
  }
  if (verdict !== 'broken') return { cause: `configuration switched it off at ${formatPlace(source)}` }
  const found = diagnostics.find(({ entry, severity }) => entry === id && severity === 'error')
  if (!found) return {}
  return { cause: `${found.message} (${formatPlace(found.source)})`, ...(found.hint ? { hint: found.hint } : {}) }
}
