/**
 * What `~`, `$HOME` and `${HOME}` in the pattern of a command stand for: commands are judged as their programs get them,
 * with the home folder already in its place. As in a shell, `~` begins a word, and single quotes and a backslash keep
 * each as it is.
 * @returns `undefined` for a pattern without any of them
 */
export function expandHome(specifier: string, home: string): string | undefined {
  if (!specifier.includes('~') && !VARIABLE.test(specifier)) return undefined
  let text = ''
  let quote = ''
  // What is opened and never closed, such as an apostrophe, is no quote.
  const lastQuote: Readonly<Record<string, number>> = {
    '"': specifier.lastIndexOf('"'),
    "'": specifier.lastIndexOf("'"),
  }
  for (let at = 0; at < specifier.length; ) {
    const char = specifier.charAt(at)
    const length = quote === "'" ? 0 : referenceAt(specifier, at, quote)
    if (length > 0) {
      text += quoted(home, quote)
      at += length
    } else if (char === '\\' && at + 1 < specifier.length) {
      text += char + specifier.charAt(at + 1)
      at += 2
    } else {
      if (char === quote) quote = ''
      else if (quote === '' && at < (lastQuote[char] ?? -1)) quote = char
      text += char
      at++
    }
  }
  return text === specifier ? undefined : text
}

/** Whether a word has to be in quotes to be taken as it is. */
export function mayMeanHome(word: string): boolean {
  return /^~(?:$|\/)/.test(word) || VARIABLE.test(word)
}

const VARIABLE = /\$(?:HOME\b|\{HOME\})/

/** `${HOME}`, and one more to see where a word ends. */
const LONGEST = 8

/** How many characters at this place stand for the home folder. */
function referenceAt(text: string, at: number, quote: string): number {
  const rest = text.slice(at, at + LONGEST)
  if (text.charAt(at) === '$') {
    const found = VARIABLE.exec(rest)
    return found?.index === 0 ? found[0].length : 0
  }
  const beginsWord = quote === '' && (at === 0 || /\s/.test(text.charAt(at - 1)))
  return beginsWord && /^~(?:$|[/\s]|:\*$)/.test(rest) ? 1 : 0
}

/** A path that stands for itself in a pattern. */
function quoted(path: string, quote: string): string {
  const escaped = path.replace(/[\\*"']/g, '\\$&')
  return quote === '' && /\s/.test(path) ? `"${escaped}"` : escaped
}
