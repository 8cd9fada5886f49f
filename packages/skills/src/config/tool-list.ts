/** The words of a tool list, or why they can't be told apart. */
export type ToolWords =
  | { readonly words: readonly ToolWord[]; readonly problem?: undefined }
  | { readonly words?: undefined; readonly problem: string; readonly hint: string }

/** One tool as it is written, and where: the item of a list, or `undefined` for a list that is one text. */
export interface ToolWord {
  readonly text: string
  readonly item: number | undefined
}

const EXAMPLE = 'Write tools with blanks or commas between them, or as a list: `Read, Bash(git add *)`.'

/**
 * Reads the three spellings of a tool list: a text with blanks, a text with commas, a list of texts. What stands between
 * parentheses belongs together. A list that is understood in part is not understood: the rest of it may have been what
 * makes it narrow.
 */
export function splitTools(value: unknown): ToolWords {
  if (typeof value === 'string') {
    const split = splitText(value, undefined)
    if (split.words?.length === 0) return { problem: 'it is an empty text', hint: `${EXAMPLE} Write [] for none.` }
    return split
  }
  if (!Array.isArray(value)) return { problem: 'it is neither a text nor a list of texts', hint: EXAMPLE }
  const words: ToolWord[] = []
  for (const [item, text] of value.entries()) {
    if (typeof text !== 'string') return { problem: `item ${item + 1} of it is no text`, hint: EXAMPLE }
    const split = splitText(text, item)
    if (!split.words) return split
    if (split.words.length === 0) return { problem: `item ${item + 1} of it is an empty text`, hint: EXAMPLE }
    words.push(...split.words)
  }
  return { words }
}

function splitText(text: string, item: number | undefined): ToolWords {
  const words: ToolWord[] = []
  const unbalanced = (): ToolWords => ({
    problem: `the parentheses of ${JSON.stringify(text)} do not match`,
    hint: 'Close each parenthesis that is opened.',
  })
  let word = ''
  let depth = 0
  const end = () => {
    if (word !== '') words.push({ text: word, item })
    word = ''
  }
  for (const char of text) {
    if (char === '(') depth++
    if (char === ')') depth--
    if (depth < 0) return unbalanced()
    // `Read; Bash` would be a tool `Read;`, and a limit on it none at all.
    if (depth === 0 && (char === ';' || char === '|')) {
      return { problem: `\`${char}\` stands between tools in ${JSON.stringify(text)}`, hint: EXAMPLE }
    }
    if (depth > 0 || !/[\s,]/.test(char)) {
      // `Bash (git *)` would grant all of Bash if its two halves were taken apart.
      if (char === '(' && depth === 1 && word === '') {
        return { problem: `a blank stands before a parenthesis of ${JSON.stringify(text)}`, hint: 'Write `Tool(…)`.' }
      }
      word += char
    } else end()
  }
  end()
  return depth === 0 ? { words } : unbalanced()
}
