import type { Seen } from '../connect/session.js'

const LAST_LINES = 5

/** `0.2 s`, as people read it. */
export function seconds(ms: number): string {
  return `${ms / 1000} s`
}

/** What a server wrote to stderr before it fell silent, as a sentence with a space before it. */
export function lastWords({ stderrTail }: Pick<Seen, 'stderrTail'>): string {
  const lines = stderrTail.trim().split('\n').slice(-LAST_LINES).join('\n')
  return lines === '' ? '' : ` Its last words on stderr: ${JSON.stringify(lines)}.`
}
