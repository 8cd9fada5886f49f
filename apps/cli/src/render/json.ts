import type { Diagnostic, Source } from '@ext/kernel'

/** A diagnostic as programs get it; see `schema/output/diagnostic.schema.json`. */
export interface JsonDiagnostic extends Omit<Diagnostic, 'pointer'> {
  /** JSON pointer of the value inside its file. */
  readonly path?: string
}

/** Every diagnostic that goes to a program has this form, whichever command says it. */
export function jsonDiagnostics(diagnostics: readonly Diagnostic[]): readonly JsonDiagnostic[] {
  return diagnostics.map(({ pointer, source, related, ...rest }) => ({
    ...rest,
    source: place(source),
    ...(pointer === undefined ? {} : { path: pointer }),
    ...(related ? { related: related.map((each) => ({ ...each, source: place(each.source) })) } : {}),
  }))
}

/** What is about a file or folder as a whole stands at its beginning: editors and CI know no other way to show it. */
function place(source: Source): Source {
  const { file, line = 1, column = 1 } = source
  return file === undefined ? source : { ...source, line, column }
}
