import { formatPlace, layerRank } from '@ext/kernel'
import type { Diagnostic, EntryRecord, FolderSource, Snapshot, Source } from '@ext/kernel/types'
import { baseName, folderOf } from './find/paths.js'
import { foldName } from './names.js'
import type { ExplainedSkill, Skill, SkillExplanation } from './types.js'

export interface ExplainHost {
  readonly snapshot: Snapshot<Skill>
  /** Ids of entries that are the same bytes as the one that takes effect. */
  readonly copies: ReadonlySet<string>
  /** In the order of the host. */
  readonly roots: readonly FolderSource[]
}

/** What became of each skill of a name. Pure. */
export function explainName({ snapshot, copies, roots }: ExplainHost, name: string): SkillExplanation {
  const key = foldName(name)
  const winner = snapshot.entries.find((entry) => entry.name === key)
  const winning = snapshot.records.find(
    ({ id, verdict, name: own }) =>
      (verdict === 'loaded' && id === winner?.id) || (verdict === 'disabled' && own === key),
  )
  const others = snapshot.records
    .filter((record) => record !== winning && isNamed(record, key))
    // Records stand with the farthest first, also within a layer.
    .toReversed()
    .toSorted((a, b) => layerRank(b.source.layer) - layerRank(a.source.layer))
  const found: ExplainedSkill[] = []
  if (winning?.verdict === 'disabled') {
    const reason = 'The configuration switches this name off, so that no skill of the name takes effect.'
    found.push({ verdict: 'disabled', source: winning.source, reason })
  } else if (winning) {
    const rivals = others.filter(({ verdict }) => verdict !== 'broken')
    const reason = rivals.length === 0 ? 'It is the only one of its name that can be loaded.' : nearest(winning, rivals)
    const stale = winning.stale ? ' Its file can not be used any more; this is how it was before.' : ''
    found.push({ verdict: 'winner', source: winning.source, reason: reason + stale })
  }
  for (const record of others) {
    const { id, source, verdict } = record
    if (verdict === 'broken') found.push({ verdict, source, reason: whyBroken(snapshot, record) })
    else if (winning && copies.has(id)) {
      const reason = `It is a copy of ${formatPlace(withoutPosition(winning.source))}, so nothing is lost.`
      found.push({ verdict: 'copy', source, reason })
    } else if (winning) found.push({ verdict: 'shadowed', source, reason: whyShadowed(source, winning.source, roots) })
  }
  return { name, ...(winner ? { winner: winner.value } : {}), found }
}

/** What could not be read has no name; then it is the folder that says which skill was meant. */
export function isNamed({ name, verdict, source }: EntryRecord, key: string): boolean {
  return name === key || (verdict === 'broken' && foldName(baseName(folderOf(source.file ?? ''))) === key)
}

function nearest({ source }: EntryRecord, rivals: readonly EntryRecord[]): string {
  const sameLayer = rivals.some((rival) => rival.source.layer === source.layer)
  return sameLayer
    ? `It is the nearest of ${rivals.length + 1} in the ${source.layer} layer and those behind it.`
    : `The ${source.layer} layer is the nearest of those that have the name.`
}

function whyBroken(snapshot: Snapshot<Skill>, record: EntryRecord): string {
  const error = errorOf(snapshot, record)
  return error ? `It is not loaded: ${error.message}` : 'It is not loaded.'
}

export function errorOf({ diagnostics }: Snapshot<Skill>, { id }: EntryRecord): Diagnostic | undefined {
  return diagnostics.find(({ entry, severity }) => entry === id && severity === 'error')
}

function whyShadowed(loser: Source, winner: Source, roots: readonly FolderSource[]): string {
  const by = formatPlace(withoutPosition(winner))
  if (loser.layer !== winner.layer) return `The ${winner.layer} layer is nearer than the ${loser.layer} layer: ${by}.`
  const [ownRoot, otherRoot] = [rootOf(loser, roots), rootOf(winner, roots)]
  if (ownRoot !== otherRoot) return `${otherRoot?.path ?? by} goes before ${ownRoot?.path ?? 'its folder'}: ${by}.`
  const deeper = depth(loser) > depth(winner)
  return deeper ? `It lies deeper than ${by}.` : `It comes behind ${by} by name.`
}

function rootOf({ file = '', layer }: Source, roots: readonly FolderSource[]): FolderSource | undefined {
  return roots
    .filter((root) => root.layer === layer && file.startsWith(root.path))
    .toSorted((a, b) => b.path.length - a.path.length)[0]
}

function depth({ file = '' }: Source): number {
  return file.split(/[\\/]/).length
}

function withoutPosition({ layer, file }: Source): Source {
  return { layer, ...(file === undefined ? {} : { file }) }
}
