import { RE2JS } from 're2js'
import { MATCH_ALL, type Matcher, matchNames } from './matcher.js'

/**
 * A glob over names such as `mcp__github__*`. `*` stands for any characters, also none; `?` for one; everything else
 * for itself, for names may hold brackets, braces and slashes. Runs in linear time, whatever the glob.
 */
export function compileNameGlob(glob: string): Matcher {
  if (glob === MATCH_ALL.text) return MATCH_ALL
  if (!/[*?]/.test(glob)) return matchNames([glob])
  const parts = glob.split(/(\*+|\?)/).map((part) => {
    if (part === '?') return '.'
    return part.startsWith('*') ? '.*' : RE2JS.quote(part)
  })
  const pattern = RE2JS.compile(parts.join(''), RE2JS.DOTALL)
  return { test: (name) => pattern.matches(name), text: glob }
}
