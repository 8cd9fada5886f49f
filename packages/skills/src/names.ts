/** The form in which names are compared: file systems and people differ in case and in Unicode normal form. */
export function foldName(name: string): string {
  return name.toLowerCase().normalize('NFC')
}

/** People count characters, not UTF-16 units. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Code unit order: the same on every machine, unlike a locale's. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
