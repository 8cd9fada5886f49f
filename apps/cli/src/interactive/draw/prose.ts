import { hang, wrap } from '../terminal/rows.js'

/** The answer of a model as it comes in: rows that are full stand, the last one still grows. */
export interface Prose {
  /** @param speaker the sub-agent that says it */
  add(text: string, speaker: string | undefined): readonly string[]
  live(): readonly string[]
  /** The answer is over, or something else comes in between. */
  end(): readonly string[]
}

export function createProse(columns: () => number): Prose {
  let last = ''
  let open = false
  let speaker: string | undefined
  const rows = (line: string) => (speaker === undefined ? wrap(line, columns()) : hang('  ', line, columns(), '  '))
  const end = (): readonly string[] => {
    const rest = open && last.trim() !== '' ? rows(last) : []
    last = ''
    open = false
    return rest
  }
  return {
    add(text, from) {
      const before = open && from !== speaker ? end() : []
      const begins = !open
      speaker = from
      open = true
      const lines = (last + text).split('\n')
      last = lines.pop() ?? ''
      const full = lines.flatMap((line) => rows(line.trimEnd()))
      const broken = wrap(last, columns() - (from === undefined ? 0 : 2))
      // A row can't change any more once there is another one behind it.
      last = broken.at(-1) ?? ''
      const head = begins ? ['', ...(from === undefined ? [] : [`${from} ›`])] : []
      return [...before, ...head, ...full, ...broken.slice(0, -1).flatMap((row) => rows(row.trimEnd()))]
    },
    live: () => (open && last !== '' ? rows(last) : []),
    end,
  }
}
