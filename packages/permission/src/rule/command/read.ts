import { runsWhatFollows, whyExactOnly } from './programs.js'
import { readWords } from './words.js'

/** A command line, read in both directions. */
export interface CommandReading {
  /** What allow rules see: the words as typed with one blank between. Absent when the line is more than plain words. */
  readonly plain?: string
  /** The words as the program gets them; none when the line is more than plain words. */
  readonly words: readonly string[]
  /** What keeps the line from being plain words. No rule can allow it then. */
  readonly unclear?: string
  /** Why only a rule with the exact text can allow it, although it is plain words. */
  readonly exactOnly?: string
  /** What deny and ask rules see: everything in the line that might be run as a command. */
  readonly widest: readonly Candidate[]
  /** Which programs run is only known once the line is expanded: `$TOOL push`, `{git,push}`, `sh -c "$LINE"`. */
  readonly opaque: boolean
}

/** A possible command: the rest of `text` from `start` on. */
export interface Candidate {
  readonly text: string
  readonly start: number
}

/** @param ignoreCase the widest reading is in lower case, for file systems on which `RM` is `rm` */
export function readCommand(command: string, ignoreCase: boolean): CommandReading {
  const read = readWords(command)
  const words = read.words?.map((word) => word.value) ?? []
  const [first] = words
  // What a runner gets in quotes is a command line again.
  const parts = first === undefined || runsWhatFollows(first) ? splitEverywhere(command) : [words.join(' ')]
  const widest = parts.flatMap((part) => candidatesOf(ignoreCase ? part.toLowerCase() : part))
  if (!read.words) return { words, unclear: read.unclear, widest, opaque: isOpaque(command) }
  const exactOnly = whyExactOnly(words)
  const plain = read.words.map((word) => word.raw).join(' ')
  return { plain, words, widest, opaque: false, ...(exactOnly === undefined ? {} : { exactOnly }) }
}

/** With the file or word that follows, which is no command. */
const REDIRECTS = /(?:&>>?|\d*(?:>>|>\||>&|<>|<<<|<<-?|<&|>|<))[ \t]*[^\s;&|<>()]+/g

/** Every part between operators, with quotes and backslashes gone, wherever the operators stand. */
function splitEverywhere(command: string): readonly string[] {
  return command
    .replace(/\\\r?\n/g, '')
    .replace(/['"\\]/g, '')
    .replace(REDIRECTS, ' ')
    .split(/[;&|<>(){}`$\n\r]+/)
    .map((part) => part.trim().replace(/\s+/g, ' '))
    .filter((part) => part !== '')
}

/** Whether the place of a program, or the line that a runner gets, holds something that is expanded. */
function isOpaque(command: string): boolean {
  return command
    .replace(/['"]/g, '')
    .replace(REDIRECTS, ' ')
    .split(/[;&|<>()\n\r]+/)
    .some((part) => {
      const words = part
        .trim()
        .replace(/^(?:[A-Za-z_]\w*=\S*\s+)+/, '')
        .split(/\s+/)
      const [program = ''] = words
      return /[$`{}*?[\\]/.test(program) || (runsWhatFollows(program) && /[$`{]/.test(part))
    })
}

/** Options that may stand between a program and its sub-command. Bounded, since every one of them costs a text. */
const MAX_LEADING_OPTIONS = 16
/** Words of one part that are looked at as programs with options; a line with more is never allowed anyway. */
const MAX_PROGRAMS = 64

function candidatesOf(text: string): readonly Candidate[] {
  const starts = wordStarts(text)
  const wordAt = (index: number) => text.slice(starts[index], (starts[index + 1] ?? text.length + 1) - 1)
  const running = runsWhatFollows(wordAt(0)) ? starts.keys() : [0]
  return [...running].flatMap((index) => {
    const start = starts[index] ?? 0
    const baseName = start + wordAt(index).lastIndexOf('/') + 1
    const program = text.slice(baseName, start + wordAt(index).length)
    const candidates: Candidate[] = [{ text, start }]
    if (baseName !== start) candidates.push({ text, start: baseName })
    if (index >= MAX_PROGRAMS) return candidates
    // `git -C . push` is a `git push`; an option may take the word behind it.
    for (let next = index + 1; next < starts.length && next <= index + MAX_LEADING_OPTIONS; next++) {
      const isOption = wordAt(next).startsWith('-')
      const mayBeValue = next > index + 1 && wordAt(next - 1).startsWith('-')
      if (next > index + 1) candidates.push({ text: `${program} ${text.slice(starts[next])}`, start: 0 })
      if (!isOption && !mayBeValue) break
    }
    return candidates
  })
}

function wordStarts(text: string): readonly number[] {
  const starts = [0]
  for (let at = text.indexOf(' '); at !== -1; at = text.indexOf(' ', at + 1)) starts.push(at + 1)
  return starts
}
