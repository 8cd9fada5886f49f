/** What headers carry as it is: visible ASCII, with blanks only inside. */
const PLAIN = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/
const ENCODED = /^=\?base64\?.*\?=$/s

/** A text as the value of a header: as it is, or where that can't be, in the encoding that MCP 2026-07-28 has for it. */
export function headerText(text: string): string {
  if (PLAIN.test(text) && !ENCODED.test(text)) return text
  const bytes = new TextEncoder().encode(text)
  return `=?base64?${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}?=`
}
