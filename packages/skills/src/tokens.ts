/** An ASCII character is a quarter of a token, any other UTF-16 unit a whole one: too much rather than too little. */
export function estimateTokens(text: string): number {
  let quarters = 0
  for (let at = 0; at < text.length; at++) quarters += text.charCodeAt(at) < 0x80 ? 1 : 4
  return quarters / 4
}
