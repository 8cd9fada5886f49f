import { analyzeShell, DYNAMIC, type ShellAnalysis, type ShellContext, type ShellUnit } from '../../shell/index.js'
import { commandKeys } from '../keys.js'
import { flattenWords, joinWords } from './pattern.js'

/** A command line, read once in both directions. */
export interface CommandReading {
  readonly analysis: ShellAnalysis
  /** In the order of `analysis.units`. */
  readonly units: readonly UnitReading[]
  /** Which programs run is only known once the line runs: `$TOOL push`, `{git,push}`, `sh -c "$LINE"`. */
  readonly opaque: boolean
}

/** One command of a line, as rules see it. */
export interface UnitReading {
  readonly unit: ShellUnit
  /**
   * What allow rules may speak about: the command itself, what does the very same, and last the command with what is
   * assigned for it, where something is.
   */
  readonly narrow: readonly string[]
  /** How many words of the last of `narrow` are assignments. */
  readonly assignments: number
  /** What deny and ask rules see: everything that it may be. */
  readonly wide: readonly string[]
  /** What it may run in turn. */
  readonly suspects: readonly string[]
  /** For each of `wide` that is not all known: what stands before the first unknown part. */
  readonly open: readonly string[]
  /** Of `narrow` and `wide`, for finding rules. */
  readonly narrowKeys: readonly string[]
  readonly wideKeys: readonly string[]
}

/** These leave open what is run; the others only what it is run with. */
const OPAQUE: ReadonlySet<string> = new Set(['language', 'syntax', 'characters', 'limit', 'program', 'code', 'redefined'])

/** Never throws. */
export function readCommand(command: string, context: ShellContext): CommandReading {
  const analysis = analyzeShell(command, context)
  const ignoreCase = context.platform === 'darwin' || context.platform === 'win32'
  return {
    analysis,
    units: analysis.units.map((unit) => readUnit(unit, ignoreCase)),
    opaque: analysis.unknowns.some(({ code }) => OPAQUE.has(code)),
  }
}

function readUnit(unit: ShellUnit, ignoreCase: boolean): UnitReading {
  const assigned = unit.env.flatMap(({ name, value }) => (value === undefined ? [] : [`${name}=${value}`]))
  const withEnv = assigned.length > 0 && assigned.length === unit.env.length ? [[...assigned, ...unit.argv]] : []
  const flat = (words: readonly string[]) => (ignoreCase ? flattenWords(words).toLowerCase() : flattenWords(words))
  const wide = [unit.argv, ...unit.same, ...unit.readings, ...withEnv].map(flat)
  const narrow = [unit.argv, ...unit.same, ...withEnv].map(joinWords)
  return {
    unit,
    narrow,
    assignments: withEnv.length > 0 ? assigned.length : 0,
    wide,
    narrowKeys: [...new Set(narrow.flatMap(commandKeys))],
    wideKeys: [...new Set(wide.flatMap(commandKeys))],
    suspects: unit.suspects.map(flat),
    open: wide.flatMap((text) => (text.includes(DYNAMIC) ? [text.slice(0, text.indexOf(DYNAMIC))] : [])),
  }
}
