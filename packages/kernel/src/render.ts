import { SourceText } from './text.js'
import type { Diagnostic, Source } from './types.js'

/** `file:line:column`, or the name of a source that is no file. */
export function formatPlace(source: Source): string {
  const where = source.file ?? `<${source.name ?? source.layer}>`
  return source.line === undefined ? where : `${where}:${source.line}:${source.column ?? 1}`
}

/**
 * A diagnostic for people: place, message, hint, and a code frame when the text of its file is given.
 * Plain text without colour; the caller prints it.
 */
export function formatDiagnostic(diagnostic: Diagnostic, options: { readonly text?: string } = {}): string {
  const lines = [
    `${formatPlace(diagnostic.source)} ${diagnostic.severity} ${diagnostic.code}`,
    `  ${diagnostic.message}`,
  ]
  const frame = options.text === undefined ? undefined : codeFrame(options.text, diagnostic.source)
  if (frame) lines.push(...frame)
  if (diagnostic.expected?.length) lines.push(`  expected: ${diagnostic.expected.join(', ')}`)
  if (diagnostic.hint) lines.push(`  fix: ${diagnostic.hint}`)
  for (const related of diagnostic.related ?? []) {
    lines.push(`  see ${formatPlace(related.source)}: ${related.message}`)
  }
  return lines.join('\n')
}

/** Up to one line before and the line itself, with the span marked. */
function codeFrame(text: string, source: Source): readonly string[] | undefined {
  if (source.line === undefined) return undefined
  const lines = new SourceText(text)
  const wanted = lines.line(source.line)
  if (wanted === undefined) return undefined
  const width = String(source.line).length
  const row = (number: number, content: string) => `  ${String(number).padStart(width)} | ${clip(content)}`
  const before = source.line > 1 ? lines.line(source.line - 1) : undefined
  const start = source.column ?? 1
  const end = source.endLine === source.line && source.endColumn !== undefined ? source.endColumn : wanted.length + 1
  const marks = '^'.repeat(Math.max(1, Math.min(end, MAX_WIDTH) - start))
  // Tabs are kept in front of the marks, so that they stand under the text whatever the tab width.
  const indent = wanted.slice(0, start - 1).replace(/[^\t]/g, ' ')
  const frame = [row(source.line, wanted)]
  if (before !== undefined) frame.unshift(row(source.line - 1, before))
  if (start <= MAX_WIDTH) frame.push(`  ${' '.repeat(width)} | ${indent}${marks}`)
  return frame
}

const MAX_WIDTH = 160

function clip(line: string): string {
  return line.length > MAX_WIDTH ? `${line.slice(0, MAX_WIDTH - 1)}…` : line
}
