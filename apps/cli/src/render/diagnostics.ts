import { type Diagnostic, formatDiagnostic } from '@ext/kernel'
import { nodeFiles } from '@ext/kernel/node'
import { printable } from './words.js'

/** Shows paths below a folder relative to it. */
export function shorten(folder: string): (text: string) => string {
  return (text) => text.replaceAll(`${folder}/`, '')
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
      return printable(short(formatDiagnostic(diagnostic, text === undefined ? {} : { text })))
    }),
  )
}
