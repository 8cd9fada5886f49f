import type { createTurns } from './turns.js'

export interface LineTests {
  /** Of one line. */
  line(text: string): boolean
  /** Whether any line of a text may match; the text has no more than `PIECE` characters. */
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

/** So few lines are looked at one by one. */
const FEW = 4

/** More than that at once would, with the worst of patterns, keep others waiting for too long. UTF-16 units. */
const PIECE = 16_384

/**
 * Finds the lines of a text that match. Most texts hold nothing, so many lines are looked at together, and where something
 * is, half of them and half of those.
 */
export async function matchingLines(
  text: string,
  { line, many }: LineTests,
  turns: ReturnType<typeof createTurns>,
  signal: AbortSignal,
): Promise<MatchingLines> {
  await turns.pass()
  if (text.length <= PIECE && many && !many(text)) return NOTHING
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  /** Where each line begins, and behind the last one where the next one would. */
  const starts = [0]
  for (const each of lines) starts.push((starts.at(-1) ?? 0) + each.length + 1)
  const lengthOf = (from: number, to: number) => (starts[to] ?? 0) - (starts[from] ?? 0) - 1
  const matching: number[] = []
  let tooLong = 0
  // Ranges of lines that are still to be looked at, the next one last.
  const ranges: (readonly [from: number, to: number])[] = lines.length > 0 ? [[0, lines.length]] : []
  for (let next = ranges.pop(); next; next = ranges.pop()) {
    const [from, to] = next
    signal.throwIfAborted()
    await turns.pass()
    const [count, length] = [to - from, lengthOf(from, to)]
    const isPiece = count === 1 || length <= PIECE
    if (isPiece && count > 1 && many && !many(text.slice(starts[from], (starts[to] ?? 0) - 1))) continue
    if (!isPiece || count > FEW) {
      const middle = (from + to) >> 1
      ranges.push([middle, to], [from, middle])
    } else if (length > MAX_SUBJECT) {
      tooLong++
    } else {
      for (let at = from; at < to; at++) if (line(lines[at] ?? '')) matching.push(at)
    }
  }
  return { lines, matching, tooLong }
}
