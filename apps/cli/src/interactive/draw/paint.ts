import { createColors } from 'picocolors'

/** What a part of a row means. Colours only add to what the words say. */
export interface Paint {
  dim(text: string): string
  strong(text: string): string
  good(text: string): string
  bad(text: string): string
  warn(text: string): string
  accent(text: string): string
}

export function createPaint(coloured: boolean): Paint {
  const { dim, bold, green, red, yellow, cyan } = createColors(coloured)
  return { dim, strong: bold, good: green, bad: red, warn: yellow, accent: cyan }
}

/** See https://no-color.org: any value but an empty one switches colours off. */
export function wantsColour(
  env: Readonly<Record<string, string | undefined>>,
  output: { readonly isTTY?: boolean },
): boolean {
  if (env['NO_COLOR']) return false
  return output.isTTY === true && env['TERM'] !== 'dumb'
}
