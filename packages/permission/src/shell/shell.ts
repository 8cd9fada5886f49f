import type { ParsedScript } from './parse.js'
import type { ProgramTable } from './programs/types.js'
import type { Report } from './report.js'
import type { Outcome, State } from './state.js'
import type { EnvAssignment, ShellContext, Span } from './types.js'
import type { Arg } from './word.js'

/** Where a piece of script stands, and with it all commands in it. */
export interface Place {
  /** Set within text that is no part of the line as typed, such as the argument of `sh -c`. */
  readonly span?: Span
  /** Of the line; the parser can point behind it when a line is broken. */
  readonly end: number
  readonly via: readonly string[]
  readonly parent?: number
  readonly depth: number
  readonly remote: boolean
  /** What the commands read from. */
  readonly input: Input
}

/** Absent: whatever the shell itself reads from. */
export type Input = { readonly text?: string; readonly from: string } | undefined

/** A command with its words expanded. */
export interface Invocation {
  readonly args: readonly Arg[]
  /** What is assigned in front of it. */
  readonly assigned: readonly EnvAssignment[]
  readonly state: State
  readonly place: Place
  readonly span: Span
}

/** What the parts of the analysis need of each other; made once per line. */
export interface Shell {
  readonly context: ShellContext
  readonly programs: ProgramTable
  readonly roots: readonly string[]
  readonly foldCase: boolean
  /** Whether anything in the line looks as if it changed the folder. */
  readonly moves: boolean
  readonly report: Report
  script(script: ParsedScript, state: State, place: Place): Outcome
  /** Text that is run as a script, at a place of its own. */
  text(text: string, state: State, place: Place): Outcome
  invoke(invocation: Invocation): Outcome
}
