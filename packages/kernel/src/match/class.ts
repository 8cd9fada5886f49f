/** The classes that git knows; of ASCII only, whatever the locale. */
const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  blank: ' \\t',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`{-~',
  space: ' \\t\\n\\r',
  upper: 'A-Z',
  xdigit: '0-9A-Fa-f',
}

/**
 * Reads the bracket expression that starts at `start`, as git does: `]` right behind the opening is a member, `\`
 * escapes, `!` and `^` negate, a range that runs backwards is its first member.
 * @returns a regular expression for one character, and where the closing `]` stands; `undefined` if there is none
 */
export function scanClass(
  pattern: string,
  start: number,
): { readonly source: string; readonly end: number } | undefined {
  let at = start + 1
  const negated = pattern[at] === '!' || pattern[at] === '^'
  if (negated) at++
  let members = ''
  /** The member that a `-` would make the start of a range. */
  let from = ''
  do {
    const unit = pattern[at]
    if (unit === '-' && from !== '' && pattern[at + 1] !== ']') {
      at += pattern[at + 1] === '\\' ? 2 : 1
      const to = pattern[at]
      if (to === undefined) return undefined
      if (from <= to) members += `-${escapeMember(to)}`
      from = ''
    } else if (unit === '[' && pattern[at + 1] === ':') {
      const end = pattern.indexOf(']', at + 2)
      if (end === -1) return undefined
      if (end > at + 2 && pattern[end - 1] === ':') {
        const name = pattern.slice(at + 2, end - 1)
        if (!Object.hasOwn(POSIX_CLASSES, name)) return undefined
        members += POSIX_CLASSES[name]
        from = ''
        at = end
      } else {
        members += '\\['
        from = '['
      }
    } else {
      if (unit === '\\') at++
      const member = pattern[at]
      if (member === undefined) return undefined
      members += escapeMember(member)
      from = member
    }
    at++
  } while (pattern[at] !== ']')
  return { source: `[${negated ? '^' : ''}${members}]`, end: at }
}

function escapeMember(unit: string): string {
  return /[\\\]^[-]/.test(unit) ? `\\${unit}` : unit
}
