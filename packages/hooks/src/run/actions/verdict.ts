import { describe, isMap } from '@ext/kernel'
import type { ActionOutcome } from '../../protocol/types.js'

/** What somebody who is asked has to answer with. */
export const ANSWER_FORM: string =
  'End with one JSON object and nothing behind it: {"ok": true} if this may go on as it is, or ' +
  '{"ok": false, "reason": "why not, in one or two sentences"} if not.'

/** A larger event is put to nobody, and not a part of it: what is cut off could be what matters. UTF-16 units. */
export const MAX_EVENT: number = 400_000

export const TOO_LARGE: ActionOutcome = {
  kind: 'unaskable',
  cause: 'an event that is too large to ask about',
  detail: `the limit is ${MAX_EVENT} characters of JSON`,
}

/** Puts the event where a prompt wants it, or behind it. */
export function withEvent(prompt: string, json: string): string {
  if (prompt.includes('$ARGUMENTS')) return prompt.replaceAll('$ARGUMENTS', () => json)
  return `${prompt}\n\nThe event as JSON:\n${json}`
}

/**
 * Reads the `{ok, reason}` that ends an answer, in a code fence or not. Models like to explain themselves first, and what
 * they quote then is no verdict; a no before the yes at the end is a contradiction.
 */
export function readVerdict(answer: string): ActionOutcome {
  const text = answer.trim().replace(/\s*```$/, '')
  if (text === '') return { kind: 'failed', cause: 'an empty answer', detail: ANSWER_FORM }
  const found = objectAtEnd(text)
  if (!found) return { kind: 'failed', cause: 'an answer that does not end with {ok, reason}', detail: answer }
  const { ok: written, reason = null } = found.value
  // Some models put everything into quotes.
  const ok = written === 'true' ? true : written === 'false' ? false : written
  if (typeof ok !== 'boolean') return wrongType('ok', written, 'true or false')
  if (reason !== null && typeof reason !== 'string') return wrongType('reason', reason, 'a text')
  if (ok && /\bok["'`]?\s*[:=]\s*["'`]?false\b/i.test(found.before)) {
    return { kind: 'failed', cause: 'an answer with two verdicts', detail: answer }
  }
  return { kind: 'judged', ok, ...(reason === null || reason.trim() === '' ? {} : { reason: reason.trim() }) }
}

/** What came before the end is not known, so neither is whether it was meant. */
export function cutOff(answer: string): ActionOutcome {
  return { kind: 'failed', cause: 'an answer that was cut off', detail: answer }
}

function wrongType(field: string, value: unknown, expected: string): ActionOutcome {
  return { kind: 'failed', cause: `wrong type of ${field}`, detail: `it is ${describe(value)}, not ${expected}` }
}

/** A verdict has hardly a brace in its reason; an answer with very many is no reason to try each of them. */
const MAX_ATTEMPTS = 64

/** The JSON object with an `ok` that a text ends with. */
function objectAtEnd(
  text: string,
): { readonly value: Readonly<Record<string, unknown>>; readonly before: string } | undefined {
  let start = text.lastIndexOf('{')
  for (let attempt = 0; start !== -1 && attempt < MAX_ATTEMPTS; attempt++) {
    const value = parsed(text.slice(start))
    if (value) return Object.hasOwn(value, 'ok') ? { value, before: text.slice(0, start) } : undefined
    start = start === 0 ? -1 : text.lastIndexOf('{', start - 1)
  }
  return undefined
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isMap(value) ? value : undefined
  } catch {
    return undefined
  }
}
