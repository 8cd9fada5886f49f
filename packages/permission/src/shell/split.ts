import type { Arg } from './word.js'

/** Splits text at blanks with quotes and backslashes as simple programs read them, without any expansion. */
export function splitWords(arg: Arg): readonly Arg[] {
  const words: Arg[] = []
  for (const [piece] of arg.text.matchAll(/(?:[^\s'"\\]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|['"\\])+/g)) {
    const text = piece.replace(/\\([\s\S])|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"/g, (_, escaped, single, double) =>
      String(escaped ?? single ?? double?.replace(/\\(["\\$`])/g, '$1')),
    )
    words.push({ ...arg, text, quoted: piece !== text })
  }
  return words
}
