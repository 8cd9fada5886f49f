/** One character of a pattern: itself, one of a class or any; or any number of characters. */
export type Token = { readonly literal: string } | { readonly class: RegExp } | 'any' | 'star'

/**
 * The test of one name against a row of tokens. Takes at most the length of the name times that of the row: a star
 * that was passed is never gone back to, for whatever an earlier star could still take, the last one can take as well.
 */
export function compileTokens(tokens: readonly Token[]): (name: string) => boolean {
  const star = tokens.indexOf('star')
  const [head, tail] = [literalOf(tokens.slice(0, star)), literalOf(tokens.slice(star + 1))]
  if (star === -1) {
    const whole = literalOf(tokens)
    if (whole !== undefined) return (name) => name === whole
  } else if (head !== undefined && tail !== undefined) {
    const least = head.length + tail.length
    return (name) => name.length >= least && name.startsWith(head) && name.endsWith(tail)
  }
  return (name) => matchTokens(tokens, name)
}

function literalOf(tokens: readonly Token[]): string | undefined {
  let text = ''
  for (const token of tokens) {
    if (typeof token === 'string' || !('literal' in token)) return undefined
    text += token.literal
  }
  return text
}

function matchTokens(tokens: readonly Token[], name: string): boolean {
  let token = 0
  let at = 0
  /** Behind the last star, and where what it takes ends so far. */
  let afterStar = -1
  let taken = 0
  while (at < name.length) {
    const next = tokens[token]
    if (next === 'star') {
      afterStar = ++token
      taken = at
    } else if (next !== undefined && matchOne(next, name.charAt(at))) {
      token++
      at++
    } else if (afterStar === -1) {
      return false
    } else {
      token = afterStar
      at = ++taken
    }
  }
  while (tokens[token] === 'star') token++
  return token === tokens.length
}

function matchOne(token: Exclude<Token, 'star'>, unit: string): boolean {
  if (token === 'any') return true
  return 'literal' in token ? token.literal === unit : token.class.test(unit)
}
