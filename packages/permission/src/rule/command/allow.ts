import type { Unknown } from '../../shell/index.js'
import type { CommandPattern } from './pattern.js'
import type { CommandReading, UnitReading } from './read.js'

/** What an allow rule says about one command: how much of it the rule spells out. */
export interface UnitGrant<T> {
  readonly by: T
  /** Index of the last word that is spelled out, -1 for none. */
  readonly spelled: number
  /** The rule spells out everything that is assigned for the command. */
  readonly environment: boolean
}

/** A rule that may speak about a command. */
export interface Speaker<T> {
  readonly by: T
  /** One of them has to match; `undefined` matches whatever the command is, and spells out nothing of it. */
  readonly patterns: readonly (CommandPattern | undefined)[]
}

/** What allow rules leave of a line. */
export interface LineGrant<T> {
  /** By unit, as far as a rule speaks about it. */
  readonly grants: readonly (UnitGrant<T> | undefined)[]
  /** Units that would have to be allowed and are not. */
  readonly missing: readonly number[]
  /** What no rule has answered. */
  readonly unknowns: readonly Unknown[]
}

/**
 * Holds allow rules against every command of a line. A rule that spells out a whole command has spelled out what that
 * command runs in turn; `npx tsc *` spells out the program behind the runner, like `tsc *` would; and `bundle exec *`
 * lets run what belongs to a project.
 * @param find the rules that may speak about a command; all of them, for one may spell out more than another
 * @param free whether a command needs no rule
 */
export function allowUnits<T>(
  { analysis, units }: CommandReading,
  find: (unit: UnitReading) => readonly Speaker<T>[],
  free: (unit: UnitReading) => boolean = () => false,
): LineGrant<T> {
  const grants: (UnitGrant<T> | undefined)[] = []
  const missing: number[] = []
  for (const [index, reading] of units.entries()) {
    const { unit } = reading
    const own = bestGrant(reading, find(reading))
    const outer = unit.parent === undefined ? undefined : fromRunner(units, unit.parent, index, grants)
    grants[index] = outer && (!own || outer.spelled > own.spelled) ? outer : own
    if (!grants[index] && !unit.transparent && !free(reading)) missing.push(index)
  }
  const unknowns = analysis.unknowns.filter(({ code, unit, spelled }) => {
    const grant = unit === undefined ? undefined : grants[unit]
    if (code === 'environment' && grant?.environment) return false
    return spelled === undefined || grant === undefined || grant.spelled < spelled
  })
  return { grants, missing, unknowns }
}

function bestGrant<T>({ narrow, assignments }: UnitReading, speakers: readonly Speaker<T>[]): UnitGrant<T> | undefined {
  let best: UnitGrant<T> | undefined
  for (const { by, patterns } of speakers) {
    for (const pattern of patterns) {
      const form = pattern ? narrow.findIndex((text) => pattern.matches(text)) : 0
      if (form === -1) continue
      const environment = pattern !== undefined && assignments > 0 && form === narrow.length - 1
      const spelled = !pattern ? -1 : environment ? pattern.spelled - assignments : spelledBy(pattern, form)
      // A rule that begins with a wildcard says nothing about assignments.
      if (environment && spelled < -1) continue
      if (!best || spelled > best.spelled || (environment && !best.environment)) best = { by, spelled, environment }
    }
  }
  return best
}

/** Words of another form are not those that the unknowns of the command count. */
function spelledBy(pattern: CommandPattern, form: number): number {
  return form > 0 && !pattern.exact ? -1 : pattern.spelled
}

/** What the rule about a runner says about the command that it runs. */
function fromRunner<T>(
  units: readonly UnitReading[],
  runner: number,
  index: number,
  grants: readonly (UnitGrant<T> | undefined)[],
): UnitGrant<T> | undefined {
  const grant = grants[runner]
  // What comes in on its input is no word of the runner, and so nothing that a rule about it spells out.
  if (!grant || units[index]?.unit.via.at(-1)?.endsWith(' <')) return undefined
  if (grant.spelled === Number.POSITIVE_INFINITY) return grant
  const outer = units[runner]?.unit.argv ?? []
  const inner = units[index]?.unit.argv ?? []
  const offset = outer.length - inner.length
  const isTail = offset > 0 && inner.every((word, at) => word === outer[offset + at])
  if (!isTail) return undefined
  if (grant.spelled >= offset) return { ...grant, spelled: grant.spelled - offset }
  return units[index]?.unit.ofProject && spellsRunner(outer, units[index]?.unit.via.at(-1), grant.spelled)
    ? { ...grant, spelled: -1 }
    : undefined
}

/** Whether the words up to this one name a runner with its sub-command: `bundle exec`, `uv run`. */
function spellsRunner(argv: readonly string[], via: string | undefined, spelled: number): boolean {
  const sub = via?.split(' ').slice(1) ?? []
  const last = sub.at(-1)
  return last !== undefined && argv.indexOf(last) <= spelled && argv.indexOf(last) !== -1
}
