/** Something that a person can begin a line with. */
export interface Word {
  /** With its slash. */
  readonly name: string
  readonly summary: string
}

/** Words that fit a line that is no more than the beginning of one, in their order. */
export function fitting(text: string, words: readonly Word[]): readonly Word[] {
  if (!/^\/[^\s]*$/.test(text)) return []
  const typed = text.toLowerCase()
  return words.filter(({ name }) => name.toLowerCase().startsWith(typed))
}

/** The line as far as all words that fit go on alike, and a blank behind the only one. */
export function complete(text: string, words: readonly Word[]): string {
  const [first, ...others] = fitting(text, words).map(({ name }) => name)
  if (first === undefined) return text
  if (others.length === 0) return `${first} `
  let end = first.length
  for (const other of others) {
    while (!other.toLowerCase().startsWith(first.slice(0, end).toLowerCase())) end--
  }
  return end > text.length ? first.slice(0, end) : text
}
