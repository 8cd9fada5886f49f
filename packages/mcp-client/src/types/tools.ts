import type { JsonValue } from '@ext/kernel/contract'
import type { PinnedTool } from './ports.js'

/** A tool that is not offered because it is not what was approved. */
export interface HeldTool {
  readonly server: string
  /** What the server calls it. */
  readonly tool: string
  /** What it would be called here. */
  readonly name: string
  /** What is different, field by field. */
  readonly changes: readonly ToolChange[]
  /** For a tool that is new under this name: the one that it is a copy of, which is denied or held. */
  readonly copyOf?: string
}

/** A tool that the rules of the configuration leave out. */
export interface HiddenTool {
  readonly server: string
  /** What the server calls it. */
  readonly tool: string
  /** The rule, in its own words. */
  readonly why: string
}

export interface ToolChange {
  readonly field: keyof PinnedTool
  readonly before?: JsonValue
  readonly after?: JsonValue
}
