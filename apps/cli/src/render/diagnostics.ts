import { readFile } from 'node:fs/promises'
import { type Diagnostic, formatDiagnostic } from '@ext/kernel'
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
  return Promise.all(
    diagnostics.map(async (diagnostic) => {
      const { file } = diagnostic.source
      const text = file ? await readFile(file, 'utf8').catch(() => undefined) : undefined
      return printable(short(formatDiagnostic(diagnostic, text === undefined ? {} : { text })))
    }),
  )
}
