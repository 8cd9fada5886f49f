import { diagnosticCodes } from '../codes.js'
import { createReporter, hasErrors } from '../diagnostic.js'
import { messageOf } from '../errors.js'
import type { Diagnostic, Located, Outcome, Source } from '../types.js'

const report = createReporter(diagnosticCodes)

export const NO_REASON = 'it gave neither a value nor a reason'

/**
 * Holds the rule that an entry without a value has an error with its id, even when the axis forgets the error or throws.
 */
export function guarded<L extends Located<unknown>, T>(entry: L, step: (entry: L) => Outcome<T>): Outcome<T> {
  try {
    const outcome = step(entry)
    const { value, diagnostics } = outcome
    if (value !== undefined && diagnostics.length === 0) return outcome
    const own = diagnostics.map((each) => (each.entry === undefined ? { ...each, entry: entry.id } : each))
    if (value !== undefined) return { value, diagnostics: own }
    return { diagnostics: hasErrorOf(own, entry.id) ? own : [...own, crashed(entry.id, entry.at(), NO_REASON)] }
  } catch (error) {
    return { diagnostics: [crashed(entry.id, entry.at(), messageOf(error))] }
  }
}

export function hasErrorOf(diagnostics: readonly Diagnostic[], id: string): boolean {
  return hasErrors(diagnostics.filter((each) => each.entry === id))
}

export function crashed(id: string, source: Source, why: string): Diagnostic {
  return report.error('config.reader.crashed', source, `The entry could not be processed: ${why}.`, {
    entry: id,
    hint: 'This is a fault of the library, not of the file; please report it.',
  })
}
