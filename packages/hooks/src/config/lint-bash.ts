/** Syntax of bash that other shells do not know, by what it is called. */
const BASH_ONLY: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['[[ … ]]', /(?<![\w$[])\[\[\s/],
  ['<<<', /<<</],
  ['<( … )', /(?<![\w$<])[<>]\(/],
  ['&>', /&>/],
  ['|&', /\|&/],
  ["$'…'", /\$'/],
  ['a list (…)', /(?:^|[\s;&|])[A-Za-z_]\w*=\(/],
  ['function', /(?:^|[\s;&|])function\s+\w+/],
  ['source', /(?:^|[\s;&|])source\s/],
  ['${name//…}', /\$\{\w+(?:\/|\^|,)/],
]

/**
 * What a script for `sh` uses of bash, where quotes leave no doubt: `sh` is bash on some machines only.
 * @returns the first such thing, as people call it
 */
export function bashOnly(script: string): string | undefined {
  // A here-document can hold anything.
  if (script.includes('<<') && !script.includes('<<<')) return undefined
  const bare = script
    .replaceAll(/(?<!\$)'[^']*'/g, "''")
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    .replaceAll(/(^|\s)#[^\n]*/g, '$1')
  return BASH_ONLY.find(([, pattern]) => pattern.test(bare))?.[0]
}
