/**
 * What a command line would run and touch (`@ext/permission/shell`), as far as text can tell.
 * @module
 */
export { analyzeShell } from './analyze.js'
export { type MergedPrograms, mergePrograms, type ProgramProblem } from './programs/merge.js'
export { builtInPrograms } from './programs/table.js'
export type { OperandRole, OptionRole, ProgramRow, ProgramTable, Special } from './programs/types.js'
export {
  type CriticalOperation,
  DYNAMIC,
  type Effect,
  type EnvAssignment,
  type ShellAnalysis,
  type ShellContext,
  type ShellUnit,
  type Span,
  type Unknown,
  type UnknownCode,
} from './types.js'
