import { diagnosticCodes } from '../codes.js'
import { createReporter } from '../diagnostic.js'
import { isForeignLayer } from '../layers.js'
import { type MergeStrategy, mergeEntries } from '../merge.js'
import type { Diagnostic, EntryRecord } from '../types.js'
import { type Candidate, type Findings, recordOf } from './candidate.js'
import type { Compiler } from './compile.js'

const report = createReporter(diagnosticCodes)

/** A managed file that can't be understood may have forbidden what the others allow. */
export function isManagedBroken<E, C>(
  valid: readonly Candidate<E, C>[],
  diagnostics: readonly Diagnostic[],
  merge: MergeStrategy,
  compiler: Compiler<E, C>,
): boolean {
  if (diagnostics.some((each) => each.severity === 'error' && each.source.layer === 'managed')) return true
  const managed = valid.filter(({ source }) => source.layer === 'managed')
  return mergeEntries(managed, merge).kept.some(
    (candidate) => !compiler.isOff(candidate) && compiler.compile(candidate).value === undefined,
  )
}

/**
 * Third stage, before the merge: an entry that waits for consent must not hide one that has it. It is compiled all the
 * same, so that nobody is asked to approve what can't work.
 */
export function admitEntries<E, C>(
  axis: string,
  valid: readonly Candidate<E, C>[],
  compiler: Compiler<E, C>,
  managedBroken: boolean,
): Findings & { readonly entries: readonly Candidate<E, C>[] } {
  const records: EntryRecord[] = []
  const diagnostics: Diagnostic[] = []
  const entries = valid.filter((candidate) => {
    const refusal = consentRefusal(candidate, managedBroken)
    if (!refusal) return true
    const compiled = compiler.isOff(candidate) ? undefined : compiler.compile(candidate)
    const works = compiled === undefined || compiled.value !== undefined
    diagnostics.push(...(compiled?.diagnostics ?? []), ...(works ? [refusal] : []))
    records.push(recordOf(axis, candidate, works ? 'untrusted' : 'broken'))
    return false
  })
  return { entries, records, diagnostics }
}

function consentRefusal(candidate: Candidate<unknown>, managedBroken: boolean): Diagnostic | undefined {
  const { entry, name, way, approved } = candidate
  if (!way.needsConsent) return undefined
  const { layer } = entry.source
  const details = { entry: entry.id, pointer: entry.pointer }
  if (managedBroken && (isForeignLayer(layer) || layer === 'user')) {
    return report.error('config.managed.broken', entry.at(), `\`${name}\` stays off while a managed file is broken.`, {
      ...details,
      hint: 'Fix the managed file; its own diagnostic says what is wrong.',
    })
  }
  if (approved || !isForeignLayer(layer)) return undefined
  return report.warning(
    'config.entry.untrusted',
    entry.at(),
    `\`${name}\` is not used: its ${layer} file is not approved.`,
    { ...details, hint: 'Read what it would do, then approve the project.' },
  )
}
