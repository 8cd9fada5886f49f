import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { analyzeShell, builtInPrograms, type ShellAnalysis } from '../../src/shell/index.js'
import { context } from './support.js'

/** One row of the table: a command that shows what the program does, and one close to it that does not do it. */
interface Case {
  readonly program: string
  readonly command: string
  readonly fact: string
  readonly but: string
  readonly not: string
}

// Facts come from the manual pages of the programs, and from the published bypasses of other agents.
const cases: readonly Case[] = readFileSync(new URL('programs.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case)

/** Whether an analysis says `runs rm x`, `writes /repo/x`, `unknown code` and so on. A verb alone: anything of the kind. */
function says({ units, effects, unknowns, critical }: ShellAnalysis, fact: string): boolean {
  const [verb = '', ...rest] = fact.split(' ')
  const what = rest.join(' ')
  const [first] = units
  const touches = (kind: string) =>
    effects.some((effect) => effect.kind === kind && (what === '' || effect.path === what || effect.host === what))
  switch (verb) {
    case 'runs':
      return units.some(
        ({ argv, via }) => via.length > 0 && (what === '' || `${argv.join(' ')} `.startsWith(`${what} `)),
      )
    case 'reads':
      return touches('read')
    case 'writes':
      return touches('write')
    case 'mentions':
      return touches('mention')
    case 'net':
      return touches('net')
    case 'unknown':
      return unknowns.some(({ code }) => what === '' || code === what)
    case 'critical':
      return critical.length > 0
    case 'readOnly':
      return first?.readOnly === true
    case 'transparent':
      return first?.transparent === true
    case 'reading':
      return units.some(({ readings }) => readings.some((words) => words.join(' ') === what))
    case 'none':
      return effects.length + unknowns.length + critical.length === 0 && units.length === 1
    default:
      throw new Error(`\`${fact}\` is no fact.`)
  }
}

const programs = Object.entries(builtInPrograms.programs)

describe('the table of programs', () => {
  test('has a case for every program in it, and no other', () => {
    const listed = programs.flatMap(([name, row]) => (row.as === undefined ? [name] : []))
    expect(cases.map(({ program }) => program).sort()).toEqual(listed.sort())
  })

  test.each(cases)('$program: `$command` $fact', ({ command, fact }) => {
    expect(says(analyzeShell(command, context), fact)).toBe(true)
  })

  test.each(cases)('$program: `$but`, not $not', ({ but, not }) => {
    expect(says(analyzeShell(but, context), not)).toBe(false)
  })

  test.each(programs.flatMap(([name, row]) => (row.as === undefined ? [] : [{ name, as: row.as }])))(
    '$name is read as $as',
    ({ name, as }) => {
      const [unit] = analyzeShell(`${name} --help`, context).units
      expect(unit?.program).toBe(name)
      expect(builtInPrograms.programs[as]?.as).toBeUndefined()
      expect(builtInPrograms.programs[as]).toBeDefined()
    },
  )
})
