/** What a list of tools says, or why it can't be read. */
export type ToolNames =
  | { readonly names: readonly string[]; readonly narrowed: readonly NarrowedTool[]; readonly problem?: undefined }
  | { readonly problem: string }

/** `Bash(git *)`: a tool that is not listed as a whole, and which of its calls are meant. */
export interface NarrowedTool {
  readonly text: string
  readonly tool: string
}

/** A letter or digit first, and a `*` nowhere but at the end. */
const NAME = /^(?:\*|[\p{L}\p{N}_][^\s,()*?!'"[\]{}]*\*?)$/u

/** Reads a text with commas, or a list of such texts. `Bash(*)` is all of Bash. */
export function parseToolNames(value: unknown): ToolNames {
  const texts = typeof value === 'string' ? [value] : value
  if (!Array.isArray(texts) || !texts.every((each) => typeof each === 'string')) {
    return { problem: 'it is neither a text with commas nor a list of names' }
  }
  const names = new Set<string>()
  const narrowed: NarrowedTool[] = []
  for (const text of texts) {
    const words = splitWords(text)
    if (!words) return { problem: `the parentheses of ${JSON.stringify(text)} do not match` }
    if (words.length === 0) return { problem: 'it holds an empty text' }
    for (const word of words) {
      const [, tool = '', specifier] = /^([^(]*)(?:\((.*)\))?$/s.exec(word) ?? []
      if (!NAME.test(tool)) return { problem: `${JSON.stringify(word)} is no name of a tool` }
      if (specifier === undefined || specifier.trim() === '*') names.add(tool)
      else narrowed.push({ text: word, tool })
    }
  }
  return { names: [...names], narrowed: narrowed.filter(({ tool }) => !names.has(tool)) }
}

/** Splits at commas and blanks outside of parentheses; `undefined` if those do not match. */
function splitWords(text: string): readonly string[] | undefined {
  const words: string[] = []
  let word = ''
  let depth = 0
  for (const char of text) {
    if (char === '(') depth++
    if (char === ')') depth--
    if (depth < 0) return undefined
    if (depth > 0 || !/[\s,]/.test(char)) {
      word += char
      continue
    }
    if (word !== '') words.push(word)
    word = ''
  }
  if (word !== '') words.push(word)
  return depth === 0 ? words : undefined
}
