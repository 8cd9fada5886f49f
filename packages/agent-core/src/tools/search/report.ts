export type OutputMode = 'files_with_matches' | 'content' | 'count'

export interface ReportOptions {
  readonly mode: OutputMode
  /** Lines before and behind each one that matches. */
  readonly before: number
  readonly after: number
  /** Lines or files. */
  readonly most: number
  readonly characters: number
}

/** What a search has found, in the form of grep: `path:line:text`, and `path-line-text` for what stands around it. */
export interface Report {
  readonly isEmpty: boolean
  /** Nothing more is wanted. */
  readonly isFull: boolean
  add(path: string, lines: readonly string[], matching: readonly number[]): void
  text(): string
  /** What is missing, if something is. */
  cutNote(): string | undefined
}

/** A longer line is cut. Characters. */
const MAX_LINE = 500

export function createReport({ mode, before, after, most, characters }: ReportOptions): Report {
  const rows: string[] = []
  let found = 0
  let size = 0
  let cutLines = 0
  let full = false

  const push = (row: string) => {
    rows.push(row)
    size += row.length + 1
  }
  /** Room for one more of what is counted. */
  const hasRoom = () => {
    full ||= found >= most || size >= characters
    return !full
  }

  function addLines(path: string, lines: readonly string[], matching: readonly number[]): void {
    const matches = new Set(matching)
    let shown = -1
    for (const at of matching) {
      if (!hasRoom()) return
      found++
      const from = Math.max(shown + 1, at - before)
      const to = Math.min(lines.length - 1, at + after)
      if (rows.length > 0 && before + after > 0 && (shown === -1 || from > shown + 1)) push('--')
      for (let line = from; line <= to; line++) {
        // The next one that matches is counted when it comes.
        if (line > at && matches.has(line)) break
        const text = lines[line] ?? ''
        const isLong = text.length > MAX_LINE
        if (isLong) cutLines++
        const mark = matches.has(line) ? ':' : '-'
        push(`${path}${mark}${line + 1}${mark}${isLong ? `${text.slice(0, MAX_LINE)}…` : text}`)
        shown = line
      }
    }
  }

  return {
    get isEmpty() {
      return found === 0
    },
    get isFull() {
      return full
    },
    add(path, lines, matching) {
      if (mode === 'content') {
        addLines(path, lines, matching)
      } else if (hasRoom()) {
        found++
        push(mode === 'count' ? `${path}:${matching.length}` : path)
      }
    },
    text: () => rows.join('\n'),
    cutNote() {
      const what = mode === 'content' ? 'lines' : 'files'
      const notes = [
        ...(full ? [`only the first ${found} ${what}; there are more: search a smaller folder or for less`] : []),
        ...(cutLines > 0 ? [`lines are cut at ${MAX_LINE} characters: ${cutLines}`] : []),
      ]
      return notes.length > 0 ? notes.join('; ') : undefined
    },
  }
}
