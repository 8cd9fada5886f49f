import type { ProgramRow, ProgramTable } from './types.js'

type Rows = Readonly<Record<string, ProgramRow>>

/** A row that can't be used. */
export interface ProgramProblem {
  /** Keys that lead to it: the program, then the sub-commands. */
  readonly path: readonly string[]
  /** What is wrong and how to fix it. */
  readonly message: string
}

export interface MergedPrograms {
  readonly table: ProgramTable
  readonly problems: readonly ProgramProblem[]
}

/**
 * Adds rows to a table. A row for a program that is there already adds options and sub-commands to it and replaces its
 * other fields. A row that makes no sense is left out and told.
 * @param rows well formed, as `schema/programs.schema.json` has it
 */
export function mergePrograms(table: ProgramTable, rows: Rows): MergedPrograms {
  const problems: ProgramProblem[] = []
  const programs: Record<string, ProgramRow> = { ...table.programs }
  for (const [name, row] of Object.entries(rows)) {
    const known = Object.hasOwn(programs, name) ? programs[name] : undefined
    programs[name] = known && row.as === undefined ? mergeRow(withTarget(known, programs), row) : row
  }
  const all = { ...programs }
  for (const name of Object.keys(rows)) {
    const found = checkRow(all[name] ?? {}, [name], all)
    problems.push(...found)
    if (found.length === 0) continue
    const before = Object.hasOwn(table.programs, name) ? table.programs[name] : undefined
    if (before) programs[name] = before
    else delete programs[name]
  }
  return { table: { version: table.version, programs }, problems }
}

/** A row that extends another name of a program stands for itself from then on. */
function withTarget(row: ProgramRow, programs: Rows): ProgramRow {
  const { as, ...own } = row
  const target = as !== undefined && Object.hasOwn(programs, as) ? programs[as] : undefined
  return target ? { ...target, ...own } : row
}

function mergeRow(row: ProgramRow, more: ProgramRow): ProgramRow {
  const merged = { ...row, ...more }
  const options = { ...row.options, ...more.options }
  const commands = { ...row.commands }
  for (const [name, command] of Object.entries(more.commands ?? {})) {
    const known = Object.hasOwn(commands, name) ? commands[name] : undefined
    commands[name] = known && command.as === undefined ? mergeRow(withTarget(known, commands), command) : command
  }
  return {
    ...merged,
    ...(Object.keys(options).length > 0 ? { options } : {}),
    ...(Object.keys(commands).length > 0 ? { commands } : {}),
  }
}

function checkRow(row: ProgramRow, path: readonly string[], siblings: Rows): readonly ProgramProblem[] {
  const problems: ProgramProblem[] = []
  const { as, options = {}, commands = {} } = row
  if (as !== undefined) {
    const target = Object.hasOwn(siblings, as) ? siblings[as] : undefined
    if (!target)
      problems.push({
        path,
        message: `It is the same as \`${as}\`, which is not in the table. Add a row for \`${as}\`.`,
      })
    else if (target.as !== undefined) {
      problems.push({
        path,
        message: `It is the same as \`${as}\`, which is the same as \`${target.as}\`. Name that one.`,
      })
    }
  }
  for (const [name, role] of Object.entries(options)) {
    const main = role.startsWith('=') ? options[role.slice(1)] : undefined
    if (role.startsWith('=') && (main === undefined || main.startsWith('='))) {
      problems.push({
        path: [...path, 'options', name],
        message: `It is another name of \`${role.slice(1)}\`, which is no option of the row with a meaning of its own. Add that one.`,
      })
    }
  }
  for (const [name, command] of Object.entries(commands)) {
    problems.push(...checkRow(command, [...path, 'commands', name], commands))
  }
  return problems
}
