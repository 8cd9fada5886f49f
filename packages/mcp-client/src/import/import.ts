import { describe, isMap, joinPointer, valueAt } from '@ext/kernel'
import type { JsonValue } from '@ext/kernel/contract'
import { readDraft } from './draft.js'
import { translate } from './entry.js'
import { FORMATS, type ForeignProgram } from './formats.js'

export interface ImportOptions {
  readonly program: ForeignProgram
  /** What stands in the file, parsed: JSON, or TOML of Codex. */
  readonly value: unknown
  /**
   * What variables stand for that took the place of secrets, by their names. Hand in the same map for several files: two
   * secrets never share a variable. It is added to.
   */
  readonly taken?: Map<string, string>
}

/** One server of the file: with `entry`, or with the reason why there is none. */
export interface ImportedServer {
  readonly name: string
  /** JSON pointer of the entry in the file. */
  readonly pointer: string
  /** As it is written under `mcpServers` of our own file. */
  readonly entry?: Readonly<Record<string, JsonValue>>
  /** What is not carried over or otherwise than in the file, a sentence each: also which variables have to be set. */
  readonly notes: readonly string[]
  readonly problem?: string
  readonly hint?: string
}

export interface ImportedServers {
  readonly servers: readonly ImportedServer[]
  /** Where the file holds something other than servers by name, and what. */
  readonly fault?: { readonly pointer: string; readonly problem: string }
}

/**
 * Says in our form what a file of another program says about MCP servers. Each entry ends as one of ours or with the reason why
 * it does not; a field that has no effect here is named, and one that restricts a server and can't do so here keeps it from
 * being imported. What looks like a secret in `env` or `headers` becomes `${NAME}`, since our file may be committed; elsewhere
 * there is no place for a variable, so such an entry is not imported. Reads and starts nothing, and never throws for anything a
 * file can hold.
 */
export function importServers({ program, value, taken = new Map() }: ImportOptions): ImportedServers {
  const { servers: places, fields, variables, beside } = FORMATS[program]
  const section = places.find((pointer) => isMap(valueAt(value, pointer)))
  if (section === undefined) {
    const pointer = places.find((each) => (valueAt(value, each) ?? null) !== null)
    if (pointer === undefined) return { servers: [] }
    const problem = `It holds ${describe(valueAt(value, pointer))}, not servers by name.`
    return { servers: [], fault: { pointer, problem } }
  }
  const entries = Object.entries(valueAt(value, section) as Readonly<Record<string, unknown>>)
  return {
    servers: entries.map(([name, raw]): ImportedServer => {
      const drafted = readDraft(raw, fields)
      beside?.(value, name, drafted.draft)
      return { name, pointer: joinPointer(section, name), ...translate(name, drafted, variables, taken) }
    }),
  }
}
