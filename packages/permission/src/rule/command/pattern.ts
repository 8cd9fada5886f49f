import { mayMeanHome } from './home.js'

/** The pattern of a command rule, compiled. */
export interface CommandPattern {
  /** Without a wildcard: it stands for one command and nothing else. */
  readonly exact: boolean
  /** Index of the last word that it spells out from the first on; -1 if it spells out none. */
  readonly spelled: number
  /** The first one or two words, if no wildcard is in them: a command that begins otherwise can't match. */
  readonly lead: string | undefined
  /** @param command words as {@link joinWords} puts them together */
  matches(command: string): boolean
  /** Whether some command that begins with this text matches. */
  mayMatch(beginning: string): boolean
}

/** Stand for blanks within a word, so that a pattern can tell `git 'push x'` from `git push x`. */
const BLANKS: Readonly<Record<string, string>> = { ' ': '\uE000', '\t': '\uE001', '\n': '\uE002', '\r': '\uE003' }
const STAR = '\uE004'
/** Stands for a word without characters. */
const EMPTY = '\uE005'
const OURS = /[\uE000-\uE005]/g

const BLANK_WITHIN = /[ \t\n\r\uE000-\uE005]/g

/** A command as patterns see it: one blank between two words, and none within one. */
export function joinWords(words: readonly string[]): string {
  const joined = words.join(' ')
  // Most commands hold no blank within a word, and then a search is all that it takes.
  if (!/ {2}|^ | $|[\t\n\r\uE000-\uE005]/.test(joined) && joined.split(' ').length === words.length) return joined
  return words
    .map((word) => (word === '' ? EMPTY : word.replace(BLANK_WITHIN, (blank) => BLANKS[blank] ?? '\uFFFD')))
    .join(' ')
}

/** The widest form: blanks within words are blanks like all others. */
export function flattenWords(words: readonly string[]): string {
  const joined = words.join(' ')
  return /\s\s|[^\S ]|^ | $|[\uE000-\uE005]/.test(joined)
    ? joined.replace(OURS, '\uFFFD').replace(/\s+/g, ' ').trim()
    : joined
}

/**
 * `*` stands for any characters, blanks too. A trailing ` *` or `:*` also matches nothing at all, and otherwise begins
 * a new word: `ls *` is `ls` and `ls -l`, never `lsof`. Without wildcard it is the exact command. Quotes hold a word
 * with blanks together, as in a shell, and `\*` is an asterisk.
 * @param options.wide the pattern is held against {@link flattenWords}, where quotes make no difference
 */
export function compileCommandPattern(specifier: string, options: { readonly wide?: boolean } = {}): CommandPattern {
  const read = unquote(specifier)
  const text = options.wide
    ? read
        .replace(/[\uE000-\uE003]/g, ' ')
        .replaceAll(EMPTY, '')
        .replace(/ +/g, ' ')
        .trim()
    : read
  const body = text.replace(/(?: |:)\uE004$/, '')
  const wordBoundary = body !== text
  if (text === STAR || (wordBoundary && body === '')) return ANYTHING
  const pieces = body.split(STAR)
  const [first = ''] = pieces
  const last = pieces.at(-1) ?? ''
  const exact = pieces.length === 1 && !wordBoundary
  const ends = (after: string) => after === '' || (wordBoundary && after.startsWith(' '))
  return {
    exact,
    spelled: exact ? Number.POSITIVE_INFINITY : spelledBy(first, pieces.length === 1),
    lead: leadOf(first, pieces.length === 1),
    matches(command) {
      if (!command.startsWith(first)) return false
      let at = first.length
      if (pieces.length === 1) return ends(command.slice(at, at + 1))
      for (const piece of pieces.slice(1, -1)) {
        const found = command.indexOf(piece, at)
        if (found === -1) return false
        at = found + piece.length
      }
      if (!wordBoundary) return command.length - last.length >= at && command.endsWith(last)
      for (let found = command.indexOf(last, at); found !== -1; found = command.indexOf(last, found + 1)) {
        if (ends(command.slice(found + last.length, found + last.length + 1))) return true
      }
      return false
    },
    mayMatch: (beginning) => first.startsWith(beginning) || (!exact && beginning.startsWith(first)),
  }
}

const ANYTHING: CommandPattern = {
  exact: false,
  spelled: -1,
  lead: undefined,
  matches: () => true,
  mayMatch: () => true,
}

function leadOf(literal: string, whole: boolean): string | undefined {
  const words = literal.split(' ')
  const complete = whole ? words : words.slice(0, -1)
  return complete.length === 0 ? undefined : complete.slice(0, 2).join(' ')
}

/** A word that runs into a wildcard is not spelled out. */
function spelledBy(literal: string, whole: boolean): number {
  return literal.split(' ').length - (whole ? 1 : 2)
}

/** Words with one blank between them; blanks within quotes and wildcards by characters of our own. */
function unquote(specifier: string): string {
  let text = ''
  let quote = ''
  const source = specifier.replace(OURS, '\uFFFD').trim()
  const quoted = isBalanced(source)
  for (let at = 0; at < source.length; at++) {
    const char = source.charAt(at)
    const next = source.charAt(at + 1)
    if (char === '\\' && (next === '*' || next === '\\' || (quoted && (next === '"' || next === "'")))) {
      text += next
      at++
    } else if (char === '*') text += STAR
    else if (quoted && (char === quote || (quote === '' && (char === '"' || char === "'")))) {
      if (
        quote !== '' &&
        source.charAt(at - 1) === quote &&
        /^(?:$| )/.test(text.slice(-1)) &&
        /^(?:$|\s)/.test(next)
      ) {
        text += EMPTY
      }
      quote = quote === '' ? char : ''
    } else if (/\s/.test(char)) {
      if (quote !== '') text += BLANKS[char] ?? char
      else if (!text.endsWith(' ')) text += ' '
    } else text += char
  }
  return text
}

/** An apostrophe in `echo don't *` opens nothing. */
function isBalanced(text: string): boolean {
  let quote = ''
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '\\') at++
    else if (char === quote) quote = ''
    else if (quote === '' && (char === '"' || char === "'")) quote = char
  }
  return quote === ''
}

/** The specifier that matches exactly these words; `undefined` when none can be written. */
export function exactSpecifier(words: readonly string[]): string | undefined {
  if (words.some((word) => /[\uE000-\uE005\uFFFC\uFFFD]/.test(word))) return undefined
  return words.map(quoteWord).join(' ')
}

function quoteWord(word: string): string {
  const escaped = word.replace(/\\(?=[\\*"'])|\*|\\$/g, '\\$&')
  return /^$|[\s"']/.test(word) || mayMeanHome(word) ? `'${escaped.replaceAll("'", "\\'")}'` : escaped
}
