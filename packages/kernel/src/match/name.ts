import picomatch from 'picomatch'

export type NameMatcher = (name: string) => boolean

/**
 * A glob over names such as `mcp__github__*`. `*` stands for any characters, also none; `?` for one. There are no
 * folders in names, so `*` crosses `/` and a leading dot is nothing special. Without `*` and `?` it is the exact name.
 */
export function compileNameGlob(glob: string): NameMatcher {
  if (!/[*?]/.test(glob)) return (name) => name === glob
  // Everything but * and ? is text: names may hold brackets, braces and parentheses.
  const literal = glob.replace(/[\\[\]{}()!+@|]/g, '\\$&').replace(/\*+/g, '**')
  const match = picomatch(literal, { bash: true, dot: true, nobrace: true, noext: true, nonegate: true })
  return (name) => match(name)
}
