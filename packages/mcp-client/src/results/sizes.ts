/** Bytes of UTF-8. */
export function sizeOf(text: string): number {
  // Most texts are short, and of a text without anything beyond ASCII the length is the size.
  if (/^[\u0000-\u007f]*$/.test(text)) return text.length
  return new TextEncoder().encode(text).length
}

/** The beginning and the end of a text, each within its bytes and never with half a character; they don't overlap. */
export function splitAt(
  text: string,
  headBytes: number,
  tailBytes: number,
): { readonly head: string; readonly tail: string } {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(headBytes))
  // A unit of UTF-16 is at least one byte of UTF-8 and at most three.
  let start = Math.max(read, text.length - tailBytes)
  for (let over = 1; over > 0; ) {
    if (isLowSurrogate(text, start)) start++
    over = sizeOf(text.slice(start)) - tailBytes
    if (over > 0) start += Math.ceil(over / 3)
  }
  return { head: text.slice(0, read), tail: text.slice(start) }
}

/** `undefined` for what is no base64. */
export function decodeBase64(text: string): Uint8Array | undefined {
  try {
    const binary = atob(text)
    const bytes = new Uint8Array(binary.length)
    for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
    return bytes
  } catch {
    return undefined
  }
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index)
  return unit >= 0xdc00 && unit <= 0xdfff
}
