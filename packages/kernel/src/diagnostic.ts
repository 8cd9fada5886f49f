import { compareText } from './text.js'
import type { Diagnostic, Severity, Source } from './types.js'

type Details = Omit<Diagnostic, 'code' | 'severity' | 'message' | 'source'>

/**
 * Makes the functions that build diagnostics of one package. Only codes of its registry type-check,
 * so every code that is reported has its line of documentation.
 */
export function createReporter<Code extends string>(_registry: Readonly<Record<Code, string>>): Reporter<Code> {
  const make =
    (severity: Severity) =>
    (code: Code, source: Source, message: string, details: Details = {}): Diagnostic =>
      Object.freeze({ code, severity, message, ...details, source })
  return { error: make('error'), warning: make('warning'), info: make('info') }
}

/** Builds one diagnostic. */
export type Report<Code extends string> = (code: Code, source: Source, message: string, details?: Details) => Diagnostic

/** Builds the diagnostics of one package, one function for each severity. */
export interface Reporter<Code extends string> {
  readonly error: Report<Code>
  readonly warning: Report<Code>
  readonly info: Report<Code>
}

/** Whether any of them is an error. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error')
}

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 }

/** Errors first, then by place. Stable, so the same configuration always reads the same. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return [...diagnostics].sort(
    (a, b) =>
      RANK[a.severity] - RANK[b.severity] ||
      compareText(a.source.file ?? '', b.source.file ?? '') ||
      (a.source.line ?? 0) - (b.source.line ?? 0) ||
      (a.source.column ?? 0) - (b.source.column ?? 0),
  )
}
