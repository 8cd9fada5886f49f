/** Words that say nothing about what a task is. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about an and any are as at be by can could do does for from get give have help how i if in into is it its let like make me
   my need of on or our please should so some something somebody that the them then there these they this those to up us use
   used user users using want wants was we what when whenever where which who will with would you your skill skills task asks
   ask asked`
    .trim()
    .split(/\s+/),
)

/** Splits a text into what is looked up: words, and pairs of characters where a script has no blanks. */
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

/** The form in which words are the same; `null` for one that is not looked up. */
export function foldWord(word: string): string | null {
  const lower = word.toLowerCase()
  if (STOP_WORDS.has(lower)) return null
  return stem(lower)
}

function isWithoutBlanks(text: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(text)
}

function pairs(text: string): readonly string[] {
  const characters = [...text]
  if (characters.length < 3) return [text]
  return characters.slice(1).map((character, index) => (characters[index] ?? '') + character)
}

/** Endings of English words, so that `migrating`, `migrations` and `migrate` meet. Rough, and the same on both sides. */
function stem(word: string): string {
  if (word.length < 5 || !/^[a-z]+$/.test(word)) return word
  const base = word
    .replace(/(?:ies)$/, 'y')
    .replace(/(?:sses)$/, 'ss')
    .replace(/([^s])s$/, '$1')
    .replace(/(?:ations?|ating|ated|ator)$/, 'ate')
    .replace(/(?:ing|ed|er|ment|ion)$/, '')
  const root = base.length >= 3 ? base : word
  return root.replace(/([^aeiouls])\1$/, '$1').replace(/(?<=.{3})e$/, '')
}
