import type { ProgramRow, ProgramTable } from './types.js'

export interface FoundProgram {
  readonly name: string
  readonly row: ProgramRow
}

/** The row of a program by the word that starts it. */
export function findProgram(word: string, { programs }: ProgramTable, foldCase: boolean): FoundProgram | undefined {
  const base = baseName(word, foldCase)
  const direct = row(base, programs)
  if (direct) return direct
  const short = base
    .replace(/^mkfs\..*$/, 'mkfs')
    .replace(/[-.](?:static|tiny|basic|nox|gtk3?|nosuid|distrib|real)$/, '')
    .replace(/(?<=[a-z])[-.]?\d[\d.]*$/i, '')
  return short === base ? undefined : row(short, programs)
}

/** `/usr/bin/Git.exe` is `git`, where case does not count. */
export function baseName(word: string, foldCase: boolean): string {
  const slash = Math.max(word.lastIndexOf('/'), foldCase ? word.lastIndexOf('\\') : -1)
  const base = slash === -1 ? word : word.slice(slash + 1)
  return foldCase ? base.toLowerCase().replace(/\.(?:exe|cmd|bat|com)$/, '') : base
}

/** What runs the things of a project, or looks after its sources: test runners, build tools, linters. */
export function isProjectTool({ runs, recursive, tool }: ProgramRow): boolean {
  return runs === 'unseen' || recursive === 'sources' || tool === true
}

function row(name: string, programs: ProgramTable['programs']): FoundProgram | undefined {
  const found = Object.hasOwn(programs, name) ? programs[name] : undefined
  if (found?.as === undefined) return found && { name, row: found }
  const target = Object.hasOwn(programs, found.as) ? programs[found.as] : undefined
  return target && target.as === undefined ? { name, row: { ...target, ...found } } : undefined
}
