/**
 * Splits arguments as a shell does: at blanks, with '…' and "…" around blanks and \ before a blank, a quote or
 * another \. What a shell would complain about or change is kept as it is: a quote that is never closed, the
 * apostrophe in don't, the \ in a Windows path.
 */
export function splitArguments(text: string): readonly string[] {
  const words: string[] = []
  let word: string | undefined
  let at = 0
  while (at < text.length) {
    const char = text.charAt(at)
    if (/\s/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
      at++
      continue
    }
    const quoted = readQuoted(text, at)
    if (quoted) {
      word = (word ?? '') + quoted.content
      at = quoted.next
      continue
    }
    const next = text.charAt(at + 1)
    const escapes = char === '\\' && /[\s"'\\]/.test(next)
    word = (word ?? '') + (escapes ? next : char)
    at += escapes ? 2 : 1
  }
  if (word !== undefined) words.push(word)
  return words
}

function readQuoted(text: string, at: number): { readonly content: string; readonly next: number } | undefined {
  if (text[at] === "'") {
    const isApostrophe = at > 0 && /[\p{L}\p{N}]/u.test(text.charAt(at - 1))
    const close = isApostrophe ? -1 : text.indexOf("'", at + 1)
    return close === -1 ? undefined : { content: text.slice(at + 1, close), next: close + 1 }
  }
  if (text[at] !== '"') return undefined
  let content = ''
  for (let index = at + 1; index < text.length; index++) {
    const char = text.charAt(index)
    if (char === '"') return { content, next: index + 1 }
    const escapes = char === '\\' && /["\\]/.test(text.charAt(index + 1))
    if (escapes) index++
    content += text.charAt(index)
  }
  return undefined
}
