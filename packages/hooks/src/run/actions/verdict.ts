import { describe, isMap } from '@ext/kernel'
import type { ActionOutcome } from '../../protocol/types.js'

/** What somebody who is asked has to answer with. */
export const ANSWER_FORM: string =
  'End with one JSON object and nothing behind it: {"ok": true} if this may go on as it is, or ' +
  '{"ok": false, "reason": "why not, in one or two sentences"} if not.'

/** A larger event is put to nobody, and not a part of it: what is cut off could be what matters. UTF-16 units. */
export const MAX_EVENT: number = 400_000

export const TOO_LARGE: ActionOutcome = {
  kind: 'failed',
  cause: 'an event that is too large to ask about',
  detail: `the limit is ${MAX_EVENT} characters of JSON`,
}

/** Puts the event where a prompt wants it, or behind it. */
export function withEvent(prompt: string, json: string): string {
  if (prompt.includes('$ARGUMENTS')) return prompt.replaceAll('$ARGUMENTS', () => json)
  return `${prompt}\n\nThe event as JSON:\n${json}`
}

/**
 * Reads `{ok, reason}` out of an answer. The last such object counts, whatever stands around it, since models like to
 * explain themselves first.
 */
export function readVerdict(text: string): ActionOutcome {
  if (text.trim() === '') return { kind: 'failed', cause: 'an empty answer', detail: ANSWER_FORM }
  const verdict = objectsIn(text).findLast((value) => Object.hasOwn(value, 'ok'))
  if (!verdict) return { kind: 'failed', cause: 'an answer without {ok, reason}', detail: text }
  const { ok: written, reason = null } = verdict
  // Some models put everything into quotes.
  const ok = written === 'true' ? true : written === 'false' ? false : written
  if (typeof ok !== 'boolean') return wrongType('ok', written, 'true or false')
  if (reason !== null && typeof reason !== 'string') return wrongType('reason', reason, 'a text')
  return { kind: 'judged', ok, ...(reason === null || reason.trim() === '' ? {} : { reason: reason.trim() }) }
}

function wrongType(field: string, value: unknown, expected: string): ActionOutcome {
  return { kind: 'failed', cause: `wrong type of ${field}`, detail: `it is ${describe(value)}, not ${expected}` }
}

/** An answer is short; one with many braces is no reason to look at each of them from each of them. */
const MAX_ATTEMPTS = 64

/** The JSON objects that a text holds, but for those within another one. */
function objectsIn(text: string): readonly Readonly<Record<string, unknown>>[] {
  const found: Readonly<Record<string, unknown>>[] = []
  let start = text.indexOf('{')
  for (let attempt = 0; start !== -1 && attempt < MAX_ATTEMPTS; attempt++) {
    const [value, end] = objectAt(text, start)
    if (value) found.push(value)
    start = text.indexOf('{', end)
  }
  return found
}

function objectAt(
  text: string,
  start: number,
): readonly [value: Readonly<Record<string, unknown>> | undefined, end: number] {
  let depth = 0
  let inString = false
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (inString) {
      if (char === '\\') at++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '{') depth++
    else if (char === '}' && --depth === 0) {
      const value = parsed(text.slice(start, at + 1))
      return value ? [value, at + 1] : [undefined, start + 1]
    }
  }
  return [undefined, start + 1]
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isMap(value) ? value : undefined
  } catch {
    return undefined
  }
}
