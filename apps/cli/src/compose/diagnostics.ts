import { type Diagnostic, sortDiagnostics } from '@ext/kernel'

/** Agents are told apart from their hooks: whoever loads those alone says that hooks do not run. Here they do. */
export function isAboutHeaderHooks({ code, pointer }: Diagnostic): boolean {
  return pointer === '/hooks' && code === 'agents.field.no-effect'
}

const WAY_TO_APPROVE =
  'See what it would do with `ext trust list`, then `ext trust approve`; or approve the project for one run with --trust-project.'

/** The libraries can't know how a person approves a project here. */
export function withWayToApprove(diagnostic: Diagnostic): Diagnostic {
  if (diagnostic.code !== 'config.entry.untrusted') return diagnostic
  return { ...diagnostic, hint: WAY_TO_APPROVE }
}

/** A file that several axes read is parsed by each of them; its syntax error is one finding all the same. */
export function uniqueDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return sortDiagnostics(
    uniqueBy(diagnostics, ({ code, message, source: { file, name, line, column } }) =>
      JSON.stringify([code, message, file ?? name, line, column]),
    ),
  )
}

export function uniqueBy<T>(items: readonly T[], key: (item: T) => string): readonly T[] {
  return [...new Map(items.map((item) => [key(item), item])).values()]
}
