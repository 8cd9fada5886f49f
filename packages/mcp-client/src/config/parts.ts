import { describe, type Located, valueAt } from '@ext/kernel'
import { parseDuration } from '@ext/kernel/duration'
import { dotted, type Notes } from './notes.js'
import { parseSize } from './size.js'

/**
 * Reads texts of an entry that mean a length of time or a size, and says what is wrong with those that mean nothing.
 * Values of other types are left to the schema.
 */
export class Parts {
  readonly entry: Located<unknown>
  readonly notes: Notes

  constructor(entry: Located<unknown>, notes: Notes) {
    this.entry = entry
    this.notes = notes
  }

  at(pointer: string): unknown {
    return valueAt(this.entry.value, pointer)
  }

  /** In milliseconds. */
  duration(pointer: string): number | undefined {
    const written = this.at(pointer)
    if (typeof written !== 'string' && typeof written !== 'number') return undefined
    const { ms, problem } = parseDuration(written)
    if (problem !== undefined) {
      const hint = 'Write a number with a unit, such as 500ms, 30s, 5m or 1h30m.'
      this.notes.error('mcp.timeout.invalid', pointer, `${dotted(pointer)} is ${describe(written)}: ${problem}.`, hint)
    }
    return ms
  }

  /** In bytes. */
  size(pointer: string, maxBytes: number): number | undefined {
    const written = this.at(pointer)
    if (typeof written !== 'string' && typeof written !== 'number') return undefined
    const { bytes, problem } = parseSize(written, maxBytes)
    if (problem !== undefined) {
      const hint = 'Write a number with a unit, such as 512KiB or 10MiB.'
      this.notes.error('mcp.size.invalid', pointer, `${dotted(pointer)} is ${describe(written)}: ${problem}.`, hint)
    }
    return bytes
  }

  number(pointer: string): number | undefined {
    const written = this.at(pointer)
    return typeof written === 'number' ? written : undefined
  }
}

/** Without the fields that have no value. */
export function present<T extends object>(fields: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof T]?: Exclude<T[K], undefined>
  }
}
