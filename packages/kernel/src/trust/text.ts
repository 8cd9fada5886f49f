import type { Terms } from './types.js'

/** Characters that show as nothing, as a plain space, or that move what stands around them. */
const UNSEEN = String.raw`\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000`
const IN_TEXT = new RegExp(String.raw`(?![\n\t])[${UNSEEN}]|\\(?=u\{)`, 'gu')
const IN_QUOTES = new RegExp(String.raw`[${UNSEEN}"\\]`, 'gu')
const PLAIN_WORD = /^[\p{L}\p{N}@%+=:,./~_-]+$/u

/** A text of any length as it can be shown: no two texts look the same because of characters that nobody sees. */
export function visible(text: string): string {
  return text.replaceAll(IN_TEXT, codePoint)
}

/** A word that can stand beside others: quoted, unless it is plain. */
export function word(text: string): string {
  if (PLAIN_WORD.test(text) && text.search(IN_QUOTES) < 0) return text
  return `"${text.replaceAll(IN_QUOTES, (found) => (/["\\]/.test(found) ? `\\${found}` : codePoint(found)))}"`
}

/** Words in their order. No word is quoted into `(none)`. */
export function words(list: readonly string[]): string {
  return list.length === 0 ? '(none)' : list.map(word).join(' ')
}

/** Words whose order means nothing, each once. */
export function wordSet(list: readonly string[]): string {
  return words([...new Set(list)].sort())
}

function codePoint(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`
}

/**
 * What a person agrees to, or has agreed to, line by line. It is exactly what the hash of the terms covers: terms that
 * differ in their hash differ here, and the other way round. Lines hold nothing that a terminal would act on.
 */
export function describeSubject(terms: Terms): readonly string[] {
  return [
    `kind: ${word(terms.kind)}`,
    `name: ${word(terms.name)}`,
    `folder: ${word(terms.root)}`,
    ...terms.facts.flatMap(({ field, value }) =>
      value.includes('\n') ? [`${field}:`, ...value.split('\n').map((line) => `  | ${line}`)] : [`${field}: ${value}`],
    ),
  ]
}
