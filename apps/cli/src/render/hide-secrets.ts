import { redact } from '@ext/kernel/env'

const MASK = '[redacted]'

/** What only names a variable is no secret. */
const REFERENCE = /^(?:(?:Bearer|Basic|Token)\s+)?\$(?:\w+|\{[^}]*\})$/i

/**
 * A line of a file with `*` in place of what looks like a secret, so that what is shown of it keeps its columns: output of a
 * check ends up in logs that others read.
 */
export function hideSecrets(line: string): string {
  const pieces = redact(line).split(MASK)
  if (pieces.length === 1) return line
  let hidden = pieces[0] ?? ''
  let at = hidden.length
  for (const [index, piece] of pieces.slice(1).entries()) {
    const isLast = index === pieces.length - 2
    // Where nothing stands between two secrets nobody knows where the first one ends.
    const next = isLast ? line.length - piece.length : piece === '' ? line.length : line.indexOf(piece, at)
    const end = next < at ? line.length : next
    const secret = line.slice(at, end)
    hidden += (REFERENCE.test(secret) ? secret : '*'.repeat(secret.length)) + line.slice(end, end + piece.length)
    at = end + piece.length
  }
  return hidden
}
