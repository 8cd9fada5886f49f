import type { ProgramTable } from './programs/types.js'

/** What the analysis knows about the place in which a command line would run. */
export interface ShellContext {
  /** Absolute, with `/`. */
  readonly cwd: string
  /** Absolute, with `/`. */
  readonly home: string
  /** Of PowerShell and cmd nothing is analysed: such a line is one unknown. */
  readonly shell: 'sh' | 'bash' | 'zsh' | 'powershell' | 'cmd'
  /** As Node names it. On `darwin` and `win32` the names of programs are read without case. */
  readonly platform: string
  /** Folders in which the agent works. Default: `cwd` alone. */
  readonly roots?: readonly string[]
  /** Variables whose values are known, next to HOME and PWD. Others count as unknown, not as empty. */
  readonly env?: Readonly<Record<string, string>>
  /** Default: the table that comes with the package. */
  readonly programs?: ProgramTable
}

/** UTF-16 offsets into the command line, end exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface ShellAnalysis {
  readonly units: readonly ShellUnit[]
  readonly effects: readonly Effect[]
  /** What could not be judged. Each of them caps the verdict at ask, unless a rule answers it; see `spelled`. */
  readonly unknowns: readonly Unknown[]
  /** What no rule, hook or mode may approve. */
  readonly critical: readonly CriticalOperation[]
}

/**
 * Stands in `argv` and the forms beside it for text that is only known when the line runs: `git push "$x"` is `git`,
 * `push` and this. A word with it that was not quoted may become any number of words.
 */
export const DYNAMIC = '\uFFFC'

/** One simple command that would run, at whatever depth it stands. */
export interface ShellUnit {
  /** As it would run: quotes removed, braces and known variables expanded, the program's name as written. */
  readonly argv: readonly string[]
  /** Base name as the table of programs has it (`/usr/bin/python3.12` is `python`); empty when it is not known. */
  readonly program: string
  /** Of the whole command with its assignments and redirects; of the enclosing word for what stands inside of one. */
  readonly span: Span
  /** Absolute; `undefined` when it can't be known. */
  readonly cwd: string | undefined
  /** What is assigned for it alone or was exported before it in the same line. */
  readonly env: readonly EnvAssignment[]
  /** How it is reached, outermost first: `['timeout', 'sh -c']`. */
  readonly via: readonly string[]
  /** The index of the unit that runs it. A rule that spells out all of that unit has spelled out this one as well. */
  readonly parent?: number
  /** An allow rule need not name it: a wrapper whose command is a unit of its own, or a builtin without consequences. */
  readonly transparent: boolean
  /** Further forms that deny and ask rules must see: other spellings, other orders, equivalents. Without `argv`. */
  readonly readings: readonly (readonly string[])[]
  /** Further forms that allow rules may speak about, since they do the very same: `git --no-pager log` is `git log`. */
  readonly same: readonly (readonly string[])[]
  /** What an unknown program may run in turn: a deny or ask rule about it asks. */
  readonly suspects: readonly (readonly string[])[]
  /** The table knows that this invocation only reads; redirects and unknowns are told apart from it. */
  readonly readOnly: boolean
  /** A tool that projects bring along: a test runner, a linter, a script. Or it only looks around elsewhere. */
  readonly ofProject: boolean
  /** It runs on another machine or in a container, so its paths are not those of this one. */
  readonly remote: boolean
}

export interface EnvAssignment {
  readonly name: string
  /** `undefined` when it is only known at run time. */
  readonly value: string | undefined
}

/**
 * Something that a command line does to the world, so that rules about files and hosts hold for it. `mention`: the path
 * is named to a program of which it is not known what it does with it, so a deny or ask rule about the path asks.
 */
export interface Effect {
  readonly kind: 'read' | 'write' | 'net' | 'mention'
  /** Absolute, `..` and `~` resolved by text. `undefined` with read and write: somewhere, not known where. */
  readonly path?: string
  /**
   * The same path with its `..` left in it, where one leads out of a folder that the line names: were that folder a
   * link, the file would be another one. Absent where the text is all there is.
   */
  readonly unresolved?: string
  /** With net: the host without port, in lower case. `undefined`: some host. */
  readonly host?: string
  /** With net: the URL as written, when it is one. */
  readonly url?: string
  /** The path is a glob: it stands for whatever it matches. */
  readonly pattern: boolean
  /** Also everything below the path. */
  readonly recursive: boolean
  /** False where the path is one of several possibilities. */
  readonly certain: boolean
  readonly span: Span
  /** Index of the unit; absent for the redirect of a group or a line without command. */
  readonly unit?: number
}

export interface Unknown {
  readonly code: UnknownCode
  /** For people: what could not be judged. A full sentence. */
  readonly message: string
  readonly span: Span
  readonly unit?: number
  /**
   * An allow rule that spells out the words of the unit up to this index, without a wildcard among them, has answered
   * it. Absent: no rule answers it.
   */
  readonly spelled?: number
}

/** Stable: they may be counted and filtered. */
export type UnknownCode =
  | 'empty'
  | 'language'
  | 'syntax'
  | 'characters'
  | 'limit'
  | 'program'
  | 'argument'
  | 'expansion'
  | 'environment'
  | 'redefined'
  | 'code'
  | 'input'
  | 'option'
  | 'folder'
  | 'target'

export interface CriticalOperation {
  /** For people: `removes /`. */
  readonly what: string
  readonly span: Span
  readonly unit?: number
}
