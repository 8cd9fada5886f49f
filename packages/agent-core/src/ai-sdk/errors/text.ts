import { redact } from '@ext/kernel/env'

/** An error of an endpoint can repeat the whole request. */
const MAX_SHOWN = 500

/** A text of the other side as people can read it: short, in one line, and without keys. */
export function shown(text: string, secrets: readonly string[]): string {
  // Masked before it is cut: half of a key is not found any more.
  const line = redact(text, { secrets })
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line
}
