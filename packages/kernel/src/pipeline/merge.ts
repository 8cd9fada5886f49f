import { diagnosticCodes } from '../codes.js'
import { createReporter } from '../diagnostic.js'
import { type MayReplace, type MergeStrategy, mergeEntries } from '../merge.js'
import { type Candidate, type Findings, recordOf } from './candidate.js'

const report = createReporter(diagnosticCodes)

/** Fourth stage: entries of the same name meet. */
export function mergeLayers<E, C>(
  {
    axis,
    merge,
    mayReplace,
  }: { readonly axis: string; readonly merge: MergeStrategy; readonly mayReplace?: MayReplace },
  admitted: readonly Candidate<E, C>[],
): Findings & { readonly entries: readonly Candidate<E, C>[]; readonly refused: ReadonlySet<Candidate<E, C>> } {
  const { kept, shadowed, refused } = mergeEntries(admitted, merge, mayReplace)
  return {
    entries: kept,
    refused: new Set(refused.map(({ entry }) => entry)),
    records: [
      ...shadowed.map(({ entry }) => recordOf(axis, entry, 'shadowed')),
      ...refused.map(({ entry }) => recordOf(axis, entry, 'broken')),
    ],
    diagnostics: [
      ...shadowed.map(({ entry: { entry, name }, by }) =>
        report.info('config.entry.shadowed', entry.at(), `\`${name}\` is replaced by the one in a nearer place.`, {
          entry: entry.id,
          related: [{ message: 'this one takes effect', source: by.entry.at() }],
        }),
      ),
      ...refused.map(({ entry: { entry, name, source }, of }) => {
        const message = `\`${name}\` would replace one of the ${of.source.layer} layer, which the ${source.layer} layer may not; it is left out.`
        return report.error('config.entry.replace-refused', entry.at(), message, {
          entry: entry.id,
          pointer: entry.pointer,
          hint: 'Give it another name, or do without replacing.',
          related: [{ message: 'this one stays', source: of.entry.at() }],
        })
      }),
    ],
  }
}
