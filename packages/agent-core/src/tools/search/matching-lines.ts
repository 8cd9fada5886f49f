import type { createTurns } from './turns.js'

export interface LineTests {
  /** Of one line. */
  line(text: string): boolean
  /** Whether any line of a text may match; the text has no more than `MAX_SUBJECT` characters. */
  many?(text: string): boolean
}

/** The longest text that a regular expression of the kernel is held against. UTF-16 units. */
const MAX_SUBJECT = 65_536

export interface MatchingLines {
  readonly lines: readonly string[]
  /** Positions in `lines`, growing. */
  readonly matching: readonly number[]
  /** Lines that nobody can search. */
  readonly tooLong: number
}

const NOTHING: MatchingLines = { lines: [], matching: [], tooLong: 0 }

/** Finds the lines of a text that match: first in pieces of many lines, for most of them hold nothing. */
export async function matchingLines(
  text: string,
  tests: LineTests,
  turns: ReturnType<typeof createTurns>,
  signal: AbortSignal,
): Promise<MatchingLines> {
  if (text.length <= MAX_SUBJECT && tests.many && !tests.many(text)) {
    await turns.pass()
    return NOTHING
  }
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const matching: number[] = []
  let tooLong = 0
  for (let from = 0; from < lines.length; ) {
    signal.throwIfAborted()
    await turns.pass()
    let to = from
    let length = 0
    while (to < lines.length && (to === from || length + (lines[to]?.length ?? 0) < MAX_SUBJECT)) {
      length += (lines[to]?.length ?? 0) + 1
      to++
    }
    if (length - 1 > MAX_SUBJECT) tooLong++
    else if (!tests.many || tests.many(lines.slice(from, to).join('\n'))) {
      for (let at = from; at < to; at++) {
        if (tests.line(lines[at] ?? '')) matching.push(at)
        if (at % 256 === 255) await turns.pass()
      }
    }
    from = to
  }
  return { lines, matching, tooLong }
}
