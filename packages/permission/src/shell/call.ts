import { isProjectTool } from './programs/lookup.js'
import type { WordsRead } from './programs/read.js'
import type { ProgramRow } from './programs/types.js'
import { readingsOf } from './readings.js'
import type { Invocation, Place, Shell } from './shell.js'
import type { Outcome, State } from './state.js'
import { DYNAMIC, type EnvAssignment, type ShellUnit, type Span, type Unknown } from './types.js'
import type { Arg } from './word.js'

type Words = readonly string[]
type Readings = { readonly readings: readonly Words[]; readonly same: readonly Words[] }

const NONE: readonly never[] = []

/** A unit while its command is being looked at. Its readings are made when somebody asks: most commands meet no rule. */
export class CommandUnit implements ShellUnit {
  readonly argv: Words
  readonly program: string
  readonly span: Span
  readonly cwd: string | undefined
  readonly env: readonly EnvAssignment[]
  readonly via: Words
  readonly parent?: number
  readonly remote: boolean
  transparent = false
  suspects: readonly Words[] = NONE
  readOnly = false
  readonly #args: readonly Arg[]
  readonly #row: ProgramRow | undefined
  readonly #words: WordsRead | undefined
  #readings: Readings | undefined

  constructor(
    { args, place, span, state, assigned }: Invocation,
    program: string,
    row: ProgramRow | undefined,
    words: WordsRead | undefined,
    readings?: readonly Words[],
  ) {
    this.argv = args.map(({ text }) => text)
    this.program = program
    this.span = span
    this.cwd = place.remote || state.cwd?.length !== 1 ? undefined : state.cwd[0]
    this.env = state.variables.size === 0 ? assigned : [...exported(state), ...assigned]
    this.via = place.via
    if (place.parent !== undefined) this.parent = place.parent
    this.remote = place.remote
    this.#args = args
    this.#row = row
    this.#words = words
    if (readings) this.#readings = { readings, same: NONE }
  }

  get ofProject(): boolean {
    const [name = ''] = this.argv
    if (this.program === '' || /^[/~]|\.\.\//.test(name)) return false
    if (!this.#row) return true
    // Many projects have a script of this name.
    if (this.readOnly) return this.remote || this.program === 'test'
    return this.#words?.special === 'language' || isProjectTool(this.#row)
  }

  get readings(): readonly Words[] {
    return this.#all.readings
  }

  get same(): readonly Words[] {
    return this.#all.same
  }

  get #all(): Readings {
    this.#readings ??= readingsOf(this.#args, this.program, this.#row, this.#words)
    return this.#readings
  }
}

function exported({ variables }: State): readonly EnvAssignment[] {
  return [...variables].flatMap(([name, variable]) => {
    if (!variable.exported) return []
    const [value] = variable.values
    return [{ name, value: variable.values.length === 1 && !value?.includes(DYNAMIC) ? value : undefined }]
  })
}

/** A command that is being looked at: what came in, the unit made of it, and ways to say more about it. */
export class Call implements Invocation {
  readonly shell: Shell
  readonly unit: CommandUnit
  /** Of its program; absent for one that the table does not have. */
  readonly row: ProgramRow | undefined
  /** `undefined` while nothing is kept. */
  readonly index: number | undefined
  readonly args: readonly Arg[]
  readonly assigned: readonly EnvAssignment[]
  readonly state: State
  readonly place: Place
  readonly span: Span

  constructor(shell: Shell, { args, assigned, state, place, span }: Invocation, unit: CommandUnit, row?: ProgramRow) {
    this.shell = shell
    this.unit = unit
    this.row = row
    this.index = shell.report.unit(unit)
    this.args = args
    this.assigned = assigned
    this.state = state
    this.place = place
    this.span = span
  }

  unknown(code: Unknown['code'], message: string, spelled?: number): void {
    this.shell.report.unknown({
      code,
      message: `${message}.`,
      span: this.span,
      ...(this.index === undefined ? {} : { unit: this.index }),
      ...(spelled === undefined ? {} : { spelled }),
    })
  }

  /** The place of what this command runs. */
  within(via: string): Place {
    const { place, index } = this
    const inner = { ...place, via: [...place.via, via], depth: place.depth + 1 }
    return index === undefined ? inner : { ...inner, parent: index }
  }

  /** Runs words of it as a command of their own. */
  inner(
    args: readonly Arg[],
    via: string,
    changes: Partial<Pick<Invocation, 'assigned' | 'state'>> & { readonly remote?: boolean } = {},
  ): Outcome {
    const { remote = this.place.remote, assigned = this.assigned, state = this.state } = changes
    const place = { ...this.within(via), remote }
    return this.shell.invoke({ args, assigned, state, place, span: this.span })
  }
}
