import { type Diagnostic, formatDiagnostic } from '@ext/kernel'
import { nodeFiles } from '@ext/kernel/node'
import { hideSecrets } from './hide-secrets.js'
import { printable } from './words.js'

/** Shows paths below a folder relative to it. */
export function shorten(folder: string): (text: string) => string {
  return (text) => (folder === '' ? text : text.replaceAll(`${folder}/`, ''))
}

/** Diagnostics for people, with the line of the file that each is about. */
export async function describeDiagnostics(
  diagnostics: readonly Diagnostic[],
  short: (text: string) => string,
): Promise<readonly string[]> {
  const files = nodeFiles()
  return Promise.all(
    diagnostics.map(async (diagnostic) => {
      const { file, line } = diagnostic.source
      // Not every file can be shown: a pipe would never end.
      const { text } = file && line !== undefined ? await files.readText(file) : {}
      const shown = text === undefined || line === undefined ? {} : { text: withoutSecrets(text, line) }
      return printable(short(formatDiagnostic(diagnostic, shown)))
    }),
  )
}

/** A text of which the lines around one are shown, and those without what looks like a secret. */
function withoutSecrets(text: string, line: number): string {
  const near = (index: number) => Math.abs(index + 1 - line) <= 3
  return text
    .split('\n')
    .map((each, index) => (near(index) ? hideSecrets(each) : each))
    .join('\n')
}

/** Of one kind of warning. */
const MOST = 3

/**
 * Before a run nobody reads the same warning about hundreds of skills.
 * @returns what is to be shown, and a line for each kind of which there is more
 */
export function fewOfEachKind(diagnostics: readonly Diagnostic[]): {
  readonly shown: readonly Diagnostic[]
  readonly more: readonly string[]
} {
  const counts = new Map<string, number>()
  const shown = diagnostics.filter(({ code, severity }) => {
    const count = (counts.get(code) ?? 0) + 1
    counts.set(code, count)
    return severity === 'error' || count <= MOST
  })
  const more = [...counts].flatMap(([code, count]) => {
    const left = count - shown.filter((each) => each.code === code).length
    return left > 0 ? [`… and ${left} more of ${code}: ext doctor shows them all.`] : []
  })
  return { shown, more }
}

/** What was not there before. */
export function newIn(diagnostics: readonly Diagnostic[], before: readonly Diagnostic[]): readonly Diagnostic[] {
  const known = new Set(before.map(({ code, message }) => `${code} ${message}`))
  return diagnostics.filter(({ code, message }) => !known.has(`${code} ${message}`))
}
