/** Splits a text or a name into what is looked up: words, and pairs of characters where a script has no blanks. */
export function splitWords(text: string): string[] {
  const words: string[] = []
  for (const [word] of text.normalize('NFKC').matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    // deployPreview, PDFFiles
    const parts = word.split(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
    if (parts.length > 1) words.push(word)
    for (const part of parts) words.push(...(isWithoutBlanks(part) ? pairs(part) : [part]))
  }
  return words
}

function isWithoutBlanks(text: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(text)
}

function pairs(text: string): readonly string[] {
  const characters = [...text]
  if (characters.length < 3) return [text]
  return characters.slice(1).map((character, index) => (characters[index] ?? '') + character)
}

/**
 * The form in which words are the same: lower case, English without its endings, so that `migrating`, `migrations` and
 * `migrate` meet. Rough, and the same on both sides.
 */
export function stemWord(word: string): string {
  const lower = word.toLowerCase()
  if (!/^[a-z]{4,}$/.test(lower)) return lower
  const one = lower
    .replace(/ies$/, 'y')
    .replace(/sses$/, 'ss')
    .replace(/([^su])s$/, '$1')
  const base = one.replace(/(?:ations?|ating|ated|ator)$/, 'ate').replace(/(?:ing|ed|er|ment|ion)$/, '')
  const root = base.length >= 3 ? base : one
  return root.replace(/([^aeiouls])\1$/, '$1').replace(/(?<=.{3})e$/, '')
}
