/** What programs do with their words. Data: `programs.json` beside this file, extended by configuration. */
export interface ProgramTable {
  readonly version: 1
  /** By base name, without a version at its end. */
  readonly programs: Readonly<Record<string, ProgramRow>>
}

/** A program, or a sub-command of one. */
export interface ProgramRow {
  /** It does the same as this other program of the table. */
  readonly as?: string
}
