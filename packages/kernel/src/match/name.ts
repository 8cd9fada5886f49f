import { RE2JS } from 're2js'

/** Says whether a name is meant. */
export type NameMatcher = (name: string) => boolean

/**
 * A glob over names such as `mcp__github__*`. `*` stands for any characters, also none; `?` for one; everything else
 * for itself, for names may hold brackets, braces and slashes. Runs in linear time, whatever the glob.
 */
export function compileNameGlob(glob: string): NameMatcher {
  if (!/[*?]/.test(glob)) return (name) => name === glob
  const parts = glob.split(/(\*+|\?)/).map((part) => {
    if (part === '?') return '.'
    return part.startsWith('*') ? '.*' : RE2JS.quote(part)
  })
  const pattern = RE2JS.compile(parts.join(''), RE2JS.DOTALL)
  return (name) => pattern.matches(name)
}
