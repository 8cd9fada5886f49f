import data from './programs.json' with { type: 'json' }
import type { ProgramTable } from './types.js'

/** The table that comes with the package. */
export const builtInPrograms: ProgramTable = data as unknown as ProgramTable
