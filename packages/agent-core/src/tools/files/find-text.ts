/** Where a text stands. UTF-16 units. */
export interface Found {
  readonly start: number
  readonly end: number
}

/**
 * Every place where the text stands, none of them within another. Line breaks are the same however they are written, since
 * the model does not see the difference.
 */
export function findText(text: string, wanted: string): readonly Found[] {
  if (!text.includes('\r\n')) return findExactly(text, toLf(wanted))
  // Where a line break of two characters has become one.
  const breaks: number[] = []
  for (let at = text.indexOf('\r\n'); at !== -1; at = text.indexOf('\r\n', at + 2)) breaks.push(at - breaks.length)
  const original = (at: number) => at + countBelow(breaks, at)
  return findExactly(toLf(text), toLf(wanted)).map(({ start, end }) => ({ start: original(start), end: original(end) }))
}

function findExactly(text: string, wanted: string): readonly Found[] {
  const found: Found[] = []
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    found.push({ start: at, end: at + wanted.length })
  }
  return found
}

/** How many of the sorted numbers are smaller. */
function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) < limit) low = middle + 1
    else high = middle
  }
  return low
}

/** Puts another text in each of the places, with the line breaks of what stood there, else those of the file. */
export function replaceAt(text: string, places: readonly Found[], next: string): string {
  const lines = toLf(next).split('\n')
  const ofFile = lineBreakIn(text) ?? '\n'
  const parts: string[] = []
  let from = 0
  for (const { start, end } of places) {
    const lineBreak = lineBreakIn(text.slice(start, end)) ?? ofFile
    parts.push(text.slice(from, start), lines.join(lineBreak))
    from = end
  }
  return parts.join('') + text.slice(from)
}

function lineBreakIn(text: string): '\n' | '\r\n' | undefined {
  const at = text.indexOf('\n')
  if (at === -1) return undefined
  return text[at - 1] === '\r' ? '\r\n' : '\n'
}

export function toLf(text: string): string {
  return text.replaceAll('\r\n', '\n')
}
