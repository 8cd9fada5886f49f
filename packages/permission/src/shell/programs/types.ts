/** What programs do with their words. Data: `programs.json` beside this file, extended by configuration. */
export interface ProgramTable {
  readonly version: 1
  /** By base name, without a version at its end. */
  readonly programs: Readonly<Record<string, ProgramRow>>
}

/** A program, or a sub-command of one. */
export interface ProgramRow {
  /** It is the same as this other program of the table, or this other sub-command of the program. */
  readonly as?: string
  /** By the option as it is typed. `=-o` is another name of `-o`. Those of a program count for its sub-commands too. */
  readonly options?: Readonly<Record<string, OptionRole | `=-${string}`>>
  /** `single`: long options begin with one dash or two, so there are no clusters. */
  readonly dashes?: 'single'
  /** Long options can't be abbreviated. */
  readonly exact?: boolean
  /**
   * Of every operand; a list says it for each place, its last entry for all that follow. Default `none` where it only
   * reads, otherwise `mention`.
   */
  readonly operands?: OperandRole | readonly OperandRole[]
  /** How many operands come before these: a pattern, a duration, a container. Default 0. */
  readonly lead?: number
  /** Of the last operand, when there are two or more. */
  readonly last?: OperandRole
  /** `NAME=value` words come before the operands. */
  readonly assigns?: boolean
  /** What the operands are: a command, words that a shell reads again, or the name of something that can't be seen. */
  readonly runs?: 'command' | 'shell' | 'unseen'
  /** Words behind the first operand are for what that operand names, dashes or not. */
  readonly stops?: boolean
  /** What it runs gets further words that can't be seen. */
  readonly appends?: boolean
  /** An allow rule need not name it, for what it runs is judged by itself. */
  readonly transparent?: boolean
  readonly commands?: Readonly<Record<string, ProgramRow>>
  /** It only reads, unless an option or operand says otherwise; `bare`: as long as it has no operand. */
  readonly readOnly?: boolean | 'bare'
  /** It writes files of names that only the archive knows, unless an option names the place (or only lists). */
  readonly unpacks?: boolean
  /**
   * Whether folders stand for all that is in them: always, or with one of these options. `sources`: for what the
   * program takes for its own kind of file, so what is protected elsewhere in the folder is left alone.
   */
  readonly recursive?: boolean | 'sources' | readonly string[]
  /** What it runs, it runs elsewhere. */
  readonly remote?: boolean
  /** What comes in on its input is a program, unless its words tell what to run. */
  readonly input?: 'code'
  /** Words that say the same to deny and ask rules: `git send-pack` is a `push`, `unlink` is an `rm`. */
  readonly like?: readonly string[]
  /** It removes what its operands name. */
  readonly removes?: boolean
  /** Its operands with a leading `+` are commands. */
  readonly plus?: boolean
  /** Projects bring it along and run it by a runner: `bundle exec rubocop`, `uv run mypy`. */
  readonly tool?: boolean
  /** It runs or serves more than its words say, whatever they are. */
  readonly code?: boolean
  /** Meaning beyond what the table can say. */
  readonly special?: Special
}

/**
 * - `flag`: no value, no consequence. `neutral`: so harmless that an allow rule need not name it.
 * - `changes`: no value, and the invocation no longer only reads. `dry`: no value, and operands are only read.
 * - `value`, `optional` (attached only): a value without consequence.
 * - `text`: a value that names no file, whatever it looks like.
 * - `lead`: a value in place of the leading operand; `lead-read`, `lead-code`: the same, from a file or as code.
 * - `read`, `write`, `url`: what happens to the value. `into`: a folder that all operands are written to.
 * - `rewrites` (attached value): the operands are written as well as read.
 * - `recipe`: a file that decides what runs, so it has to be one of the workspace.
 * - `upload`: `@file` and `name=@file` stand for what is in the file.
 * - `cookies`: a file, unless there is a `=` in it. `saves` (attached): a file to write.
 * - `exec`: a command line for a shell. `run`: a command, split at blanks; what follows is appended.
 * - `code`: a program in another language. `opaque`, `opaque-flag`: it changes what runs in a way that can't be judged.
 * - `sql`: statements for a database, which can leave it.
 * - `plugin`: the name of a module, or a path, and then `opaque`.
 * - `cwd`: the folder to work in, whose files decide what runs. `place`: the folder that paths start from.
 * - `module`: names what runs, and the words behind it are for that. `rest`: the words behind it are a command.
 * - `env`: `NAME=value`. `config`: a setting, judged by the special meaning of the program.
 */
export type OptionRole =
  | 'flag'
  | 'neutral'
  | 'changes'
  | 'dry'
  | 'value'
  | 'text'
  | 'optional'
  | 'lead'
  | 'lead-read'
  | 'lead-code'
  | 'read'
  | 'write'
  | 'url'
  | 'into'
  | 'rewrites'
  | 'recipe'
  | 'upload'
  | 'cookies'
  | 'saves'
  | 'exec'
  | 'run'
  | 'code'
  | 'sql'
  | 'opaque'
  | 'plugin'
  | 'opaque-flag'
  | 'cwd'
  | 'place'
  | 'module'
  | 'rest'
  | 'env'
  | 'config'

/**
 * - `move`: it is read and is gone afterwards. `mention`: it is used in a way that the table does not know.
 * - `sql`: statements for a database. `package`: a name, or a place from which code is fetched.
 */
export type OperandRole =
  | 'none'
  | 'read'
  | 'write'
  | 'move'
  | 'mention'
  | 'url'
  | 'code'
  | 'sql'
  | 'package'
  | 'script'
  | 'remote'

export type Special =
  | 'awk'
  | 'dd'
  | 'download'
  | 'filter'
  | 'find'
  | 'git'
  | 'language'
  | 'link'
  | 'sed'
  | 'shell'
  | 'ssh'
  | 'tar'
  | 'xargs'
