import { createReporter, type Diagnostic, type Located, parsePointer } from '@ext/kernel'
import { diagnosticCodes, type McpCode } from '../codes.js'

const report = createReporter(diagnosticCodes)

type Note = (code: McpCode, pointer: string, message: string, hint: string, part?: 'key' | 'value') => void

/** Collects what there is to say about one entry, each with its place. Pointers start at the entry. */
export interface Notes {
  readonly diagnostics: readonly Diagnostic[]
  /** Whether one of them is an error. */
  readonly failed: boolean
  readonly error: Note
  readonly warning: Note
  readonly info: Note
  /** Takes over what another part of the code has found, unless something was said about the same part already. */
  add(found: readonly Diagnostic[]): void
}

export function notesOn(entry: Located<unknown>): Notes {
  const diagnostics: Diagnostic[] = []
  const note =
    (severity: 'error' | 'warning' | 'info'): Note =>
    (code, pointer, message, hint, part) => {
      const details = { entry: entry.id, pointer: entry.pointer + pointer, hint }
      diagnostics.push(report[severity](code, entry.at(pointer, part), message, details))
    }
  return {
    diagnostics,
    get failed() {
      return diagnostics.some(({ severity }) => severity === 'error')
    },
    error: note('error'),
    warning: note('warning'),
    info: note('info'),
    add(found) {
      const known = new Set(diagnostics.map(({ pointer }) => pointer))
      diagnostics.push(...found.filter(({ pointer }) => !known.has(pointer)))
    },
  }
}

/** A part of an entry as people write it: `limits.rate`. */
export function dotted(pointer: string): string {
  return `\`${parsePointer(pointer).join('.')}\``
}
