import { diagnosticCodes } from '../codes.js'
import { createReporter } from '../diagnostic.js'
import { type MergeStrategy, mergeEntries } from '../merge.js'
import { type Candidate, type Findings, recordOf } from './candidate.js'

const report = createReporter(diagnosticCodes)

/** Fourth stage: entries of the same name meet. */
export function mergeLayers<E>(
  axis: string,
  admitted: readonly Candidate<E>[],
  strategy: MergeStrategy,
): Findings & { readonly entries: readonly Candidate<E>[] } {
  const { kept, shadowed } = mergeEntries(admitted, strategy)
  return {
    entries: kept,
    records: shadowed.map(({ entry: { entry, name } }) => recordOf(axis, entry, name, 'shadowed')),
    diagnostics: shadowed.map(({ entry: { entry, name }, by }) =>
      report.info('config.entry.shadowed', entry.at(), `\`${name}\` is replaced by the one in a nearer place.`, {
        entry: entry.id,
        related: [{ message: 'this one takes effect', source: by.entry.at() }],
      }),
    ),
  }
}
