import { SourceText } from './text.js'
import type { Diagnostic, Source } from './types.js'

/** `file:line:column`, or the name of a source that is no file, in one line: a line break in a name could pass for another place. */
export function formatPlace(source: Source): string {
  const where = (source.file ?? `<${source.name ?? source.layer}>`).replace(/\n/g, '\\n').replace(/\r/g, '\\r')
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
  if (options.text !== undefined) lines.push(...codeFrame(options.text, diagnostic.source))
  if (diagnostic.expected?.length) lines.push(`  expected: ${diagnostic.expected.join(', ')}`)
  if (diagnostic.hint) lines.push(`  fix: ${diagnostic.hint}`)
  if (diagnostic.url) lines.push(`  more: ${diagnostic.url}`)
  for (const related of diagnostic.related ?? []) {
    lines.push(`  see ${formatPlace(related.source)}: ${related.message}`)
  }
  return lines.map(printable).join('\n')
}

/** What a file holds must not move the cursor, change colours or reorder text of the terminal that shows it. */
function printable(line: string): string {
  return line.replace(/[\0-\x08\x0a-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g, '\uFFFD')
}

const MAX_WIDTH = 160
/** How much of a long line is shown in front of the place. */
const LEAD = 40

/** Up to one line before and the line itself, with the span marked. Nothing for a place outside the text. */
function codeFrame(text: string, source: Source): readonly string[] {
  if (source.line === undefined) return []
  const lines = new SourceText(text.startsWith('\uFEFF') ? text.slice(1) : text)
  const wanted = lines.line(source.line)
  if (wanted === undefined) return []
  const start = source.column ?? 1
  const end = source.endLine === source.line ? (source.endColumn ?? start + 1) : wanted.length + 1
  // A line that is too long, such as minified JSON, is shown from shortly before the place.
  const from = wanted.length > MAX_WIDTH ? Math.max(0, start - 1 - LEAD) : 0
  const shown = clip(wanted, from)
  const before = source.line > 1 ? lines.line(source.line - 1) : undefined
  const width = String(source.line).length
  const row = (number: number | '', content: string) => `  ${String(number).padStart(width)} | ${content}`
  const offset = start - 1 - from + (from > 0 ? 1 : 0)
  // Tabs are kept in front of the marks, so that they stand under the text whatever the tab width.
  const indent = shown.slice(0, offset).replace(/[^\t]/g, ' ')
  const marks = '^'.repeat(Math.max(1, Math.min(end - start, shown.length - offset)))
  const frame = [row(source.line, shown), row('', indent + marks)]
  return before === undefined ? frame : [row(source.line - 1, clip(before, 0)), ...frame]
}

/** At most {@link MAX_WIDTH} characters of a line, with … where some are left out. */
function clip(line: string, from: number): string {
  const start = from > 0 ? `…${line.slice(from)}` : line
  return start.length > MAX_WIDTH ? `${start.slice(0, MAX_WIDTH - 1)}…` : start
}
