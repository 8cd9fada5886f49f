/** The form in which names are compared: file systems and people differ in case and in Unicode normal form. */
export function foldName(name: string): string {
  const lower = name.toLowerCase()
  return /^[\0-\x7f]*$/.test(lower) ? lower : lower.normalize('NFC')
}

/** People count characters, not UTF-16 units. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
