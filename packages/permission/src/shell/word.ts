import type { Span } from './types.js'

/** One word as a program gets it. */
export interface Arg {
  /** With DYNAMIC for every piece that is not known. */
  readonly text: string
  readonly span: Span
  /** Holds an unquoted pattern, so it may become other words. */
  readonly glob: boolean
  /** May become any number of words. */
  readonly split: boolean
  /** Begins with something that is not known and may be a dash. */
  readonly open: boolean
  /** A pipe to or from a command in the line: no file. */
  readonly pipe: boolean
  /** Text between quotes is in it, so a leading dash or tilde was meant as it stands. */
  readonly quoted: boolean
}

export function plainArg(text: string, span: Span): Arg {
  return { text, span, glob: false, split: false, open: false, pipe: false, quoted: false }
}
