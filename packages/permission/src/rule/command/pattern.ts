/** The pattern of a command rule, compiled. */
export interface CommandPattern {
  /** Without a wildcard: it stands for one command and nothing else. */
  readonly exact: boolean
  /** @param text words with one blank between them @param start where in the text the command begins */
  matches(text: string, start?: number): boolean
}

const ANYTHING: CommandPattern = { exact: false, matches: () => true }

/**
 * `*` stands for any characters, blanks too. A trailing ` *` or `:*` also matches nothing at all, and otherwise begins
 * a new word: `ls *` is `ls` and `ls -l`, never `lsof`. Without wildcard it is the exact command.
 */
export function compileCommandPattern(specifier: string): CommandPattern {
  const text = specifier.replace(/\s+/g, ' ').trim()
  const body = text.replace(/(?: |:)\*$/, '')
  const wordBoundary = body !== text
  if (text === '*' || (wordBoundary && body === '')) return ANYTHING
  const pieces = body.split('*')
  const last = pieces.at(-1) ?? ''
  const ends = (after: string) => after === '' || (wordBoundary && after.startsWith(' '))
  return {
    exact: pieces.length === 1 && !wordBoundary,
    matches(command, start = 0) {
      const first = pieces[0] ?? ''
      if (!command.startsWith(first, start)) return false
      let at = start + first.length
      if (pieces.length === 1) return ends(command.slice(at))
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
  }
}

/**
 * What is left of a pattern once its options are gone: `git push --force*` speaks of `git push`, and the same can often
 * be said with another option or none. `undefined` for a pattern without options.
 */
export function commandWithoutOptions(specifier: string): CommandPattern | undefined {
  const words = specifier.trim().split(/\s+/)
  const option = words.findIndex((word) => word.startsWith('-'))
  const plain = words.slice(0, option).findIndex((word) => word.includes('*'))
  const lead = words.slice(0, plain === -1 ? option : plain)
  return option === -1 || lead.length === 0 ? undefined : compileCommandPattern(`${lead.join(' ')} *`)
}
