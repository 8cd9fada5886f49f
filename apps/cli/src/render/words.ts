import type { Diagnostic, Severity } from '@ext/kernel'

/** `1 error`, `2 errors`. */
export function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}

/** One line of at most `max` characters. */
export function oneLine(text: string, max = 140): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > max ? `${line.slice(0, max - 1)}…` : line
}

/** A line that stays one, with its columns: a line break within a text must not make it look like another line of ours. */
export function singleLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ')
}

/** Each line that is not empty, two columns to the right. */
export function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '  ')
}

/**
 * Text from a model, tool, hook or file for a terminal: control characters could move the cursor, recolour or
 * overwrite what the person reads, so they are shown instead of obeyed.
 */
export function printable(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (character) =>
    character === '\r' ? '' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

export function countSeverity(diagnostics: readonly Diagnostic[], severity: Severity): number {
  return diagnostics.filter((diagnostic) => diagnostic.severity === severity).length
}
