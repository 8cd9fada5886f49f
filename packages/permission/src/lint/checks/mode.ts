import { createReporter, type Diagnostic, type SnapshotEntry } from '@ext/kernel'
import { diagnosticCodes } from '../../codes.js'
import type { CompiledEntry } from '../../config/entry.js'
import type { LintRule } from '../rules.js'

const report = createReporter(diagnosticCodes)

/** Modes that can take no effect, or take it from the rules beside them. */
export function modeFaults(
  entries: readonly SnapshotEntry<CompiledEntry>[],
  rules: readonly LintRule[],
): readonly Diagnostic[] {
  const modes = entries.flatMap((entry) => (entry.value.kind === 'mode' ? [{ entry, mode: entry.value.mode }] : []))
  const last = modes.at(-1)
  const off = entries.find(({ value }) => value.kind === 'no-bypass')
  return modes.flatMap(({ entry, mode }) => {
    const fault = (message: string, hint: string, related: Diagnostic['related'] = []) => [
      report.warning('permission.lint.mode', entry.at(), message, {
        entry: entry.id,
        hint,
        ...(related.length ? { related } : {}),
      }),
    ]
    // A nearer layer may want another mode; two files of one layer can't both be meant.
    if (last && entry !== last.entry && entry.source.layer === last.entry.source.layer && mode !== last.mode) {
      return fault(
        `The mode \`${mode}\` has no effect: another file of the same layer says \`${last.mode}\`.`,
        'Remove one of the two.',
        [{ message: 'the mode that counts', source: last.entry.at() }],
      )
    }
    if (mode === 'bypassPermissions' && off) {
      return fault(
        'The mode `bypassPermissions` is switched off, so sessions begin in `default`.',
        'Name another mode.',
        [{ message: 'it is switched off here', source: off.at() }],
      )
    }
    if (mode === 'bypassPermissions' && entry.source.layer === 'project') {
      return fault(
        'A project asks for the mode `bypassPermissions`, which has no effect before a person has approved it.',
        'Leave the mode to those who work in the project, and allow what it needs by rules.',
      )
    }
    const ask = rules.find(({ effect }) => effect === 'ask')
    if (mode === 'dontAsk' && entry === last?.entry && ask) {
      return fault(
        'In the mode `dontAsk` nobody is asked, so ask rules deny.',
        'Move them to deny, or choose another mode.',
        [{ message: `\`${ask.rule.text}\` is one of them`, source: ask.at() }],
      )
    }
    return []
  })
}
