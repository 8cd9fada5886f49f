/** Words that say nothing about what a task is. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about an and any are as at be by can could do does for from get give have help how i if in into is it its let like make me
   my need of on or our please should so some something somebody that the them then there these they this those to up us use
   used user users using want wants was we what when whenever where which who will with would you your skill skills task asks
   ask asked`
    .trim()
    .split(/\s+/),
)

/** Longer ones are no words, and looking for what is like them takes the square of their length. */
const LONGEST = 64

/** The form in which words are the same; `null` for one that is not looked up. */
export function foldWord(word: string): string | null {
  const lower = word.slice(0, LONGEST).toLowerCase()
  if (STOP_WORDS.has(lower)) return null
  return stem(lower)
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
