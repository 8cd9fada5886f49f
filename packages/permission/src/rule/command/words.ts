/** A command line as plain words, or what keeps it from being that, as the end of a sentence. */
export type PlainWords =
  | { readonly words: readonly Word[]; readonly unclear?: undefined }
  | { readonly words?: undefined; readonly unclear: string }

export interface Word {
  /** As typed, with its quotes. */
  readonly raw: string
  /** What the program gets. */
  readonly value: string
}

const MAX_CHARACTERS = 10_000

const UNCLEAR: Readonly<Record<string, string>> = {
  ';': 'several commands (`;`)',
  '&': 'several commands or a background job (`&`)',
  '|': 'a pipe (`|`)',
  '\n': 'several lines',
  '\r': 'several lines',
  '<': 'a redirect (`<`)',
  '>': 'a redirect (`>`)',
  '(': 'a subshell (`(`)',
  ')': 'a subshell (`)`)',
  $: 'a variable or a substitution (`$`)',
  '`': 'a substitution (`` ` ``)',
  '*': 'a file pattern (`*`)',
  '?': 'a file pattern (`?`)',
  '[': 'a file pattern (`[`)',
  ']': 'a file pattern (`]`)',
  '{': 'a brace expansion (`{`)',
  '}': 'a brace expansion (`}`)',
  '\\': 'a backslash',
  '!': 'a `!`',
}

/** Within double quotes these still mean something to some shell. */
const LIVE_IN_DOUBLE_QUOTES = /[$`\\!]/

/** Blanks that a person takes for a space and a shell doesn't, and characters that can't be seen at all. */
const INVISIBLE = /[\0-\x08\x0b-\x1f\x7f-\xa0\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u

/**
 * Splits a command line that every shell reads in the same way: words, blanks, and quotes around plain text. Anything
 * else is named and not looked into.
 */
export function readWords(command: string): PlainWords {
  if (command.length > MAX_CHARACTERS) return holds(`more than ${MAX_CHARACTERS} characters`)
  const invisible = INVISIBLE.exec(command.replace(/[\r\n]/g, ''))
  if (invisible) return holds(`an invisible or unusual character (U+${hex(invisible[0])})`)
  const words: Word[] = []
  let at = 0
  while (at < command.length) {
    if (command[at] === ' ' || command[at] === '\t') {
      at += 1
      continue
    }
    const word = readWord(command, at)
    if (word.unclear !== undefined) return word
    words.push(word)
    at += word.raw.length
  }
  const first = words[0]
  if (!first?.value) return { unclear: 'it names no program' }
  if (/^[A-Za-z_]\w*\+?=/.test(first.value)) return holds(`the assignment \`${first.value}\` in front`)
  return { words }
}

function readWord(
  command: string,
  start: number,
): (Word & { readonly unclear?: undefined }) | { readonly unclear: string } {
  let value = ''
  let at = start
  for (; at < command.length; at++) {
    const char = command[at] ?? ''
    if (char === ' ' || char === '\t') break
    if (char === "'" || char === '"') {
      const end = command.indexOf(char, at + 1)
      if (end === -1) return holds('a quote that is not closed')
      const quoted = command.slice(at + 1, end)
      const live = char === '"' ? LIVE_IN_DOUBLE_QUOTES.exec(quoted)?.[0] : undefined
      if (live !== undefined) return holds(`${UNCLEAR[live]} within double quotes`)
      value += quoted
      at = end
      continue
    }
    const unclear = UNCLEAR[char] ?? (at === start ? unclearStart(command, at) : undefined)
    if (unclear !== undefined) return holds(unclear)
    value += char
  }
  return { raw: command.slice(start, at), value }
}

function unclearStart(command: string, at: number): string | undefined {
  const char = command[at]
  if (char === '#') return 'a comment (`#`)'
  if (char === '=') return 'a word that starts with `=`'
  if (char === '~' && !/^~(?:[/ \t]|$)/.test(command.slice(at, at + 2))) return "another user's home (`~name`)"
  return undefined
}

function holds(what: string): { readonly unclear: string } {
  return { unclear: `it holds ${what}` }
}

function hex(char: string): string {
  return (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
}
