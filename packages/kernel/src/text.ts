/** A text that knows its lines. Offsets count UTF-16 units; lines and columns start at 1. */
export class SourceText {
  readonly text: string
  #starts: number[] | undefined

  constructor(text: string) {
    this.text = text
  }

  /** Line starts are found on the first question: most files are never asked about. */
  #lineStarts(): readonly number[] {
    if (!this.#starts) {
      this.#starts = [0]
      for (let at = this.text.indexOf('\n'); at !== -1; at = this.text.indexOf('\n', at + 1)) this.#starts.push(at + 1)
    }
    return this.#starts
  }

  position(offset: number): { readonly line: number; readonly column: number } {
    const starts = this.#lineStarts()
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  }

  /** The text of a line without its line break; `undefined` beyond the end. */
  line(number: number): string | undefined {
    const starts = this.#lineStarts()
    const start = starts[number - 1]
    if (start === undefined) return undefined
    const end = starts[number] ?? this.text.length + 1
    return this.text.slice(start, end - 1).replace(/\r$/, '')
  }
}

/** Code unit order: the same on every machine, unlike a locale's. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
