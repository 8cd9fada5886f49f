/** Less than this says nothing about a skill. */
const SHORTEST = 20

/**
 * At most `limit` characters of a text, up to the end of a sentence if that keeps half of them, else up to a word and
 * an ellipsis. Empty if the limit is too small for anything that helps.
 */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text
  if (limit < SHORTEST) return ''
  let sentence = 0
  // One character more than the limit: it shows whether a full stop at the limit ends a sentence.
  for (const end of text.slice(0, limit + 1).matchAll(/[.!?](?=\s)|[。！？]/g)) {
    if (end.index < limit) sentence = end.index + 1
  }
  if (sentence >= limit / 2) return text.slice(0, sentence)
  const head = text.slice(0, limit - 1)
  const blank = head.lastIndexOf(' ')
  // Without blanks, as in Chinese, it is cut between two characters, not inside a surrogate pair.
  const cut = blank >= limit / 2 ? head.slice(0, blank) : head.replace(/[\uD800-\uDBFF]$/, '')
  return `${cut}…`
}
