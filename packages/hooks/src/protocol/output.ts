import { isMap } from '@ext/kernel'
import type { JsonObject } from '@ext/kernel/contract'
import { isTooDeep, TOO_DEEP } from './depth.js'

/** What a stream of a hook holds. */
export type Output =
  | { readonly kind: 'empty' }
  | { readonly kind: 'text'; readonly text: string }
  /** `noise`: text that stood before the object and was skipped. */
  | { readonly kind: 'json'; readonly value: JsonObject; readonly noise?: string }
  /** It was meant as JSON and can't be read as one object. */
  | { readonly kind: 'bad'; readonly cause: string }

/** Fields of a reply that every event knows. */
export const COMMON_FIELDS = [
  'continue',
  'stopReason',
  'suppressOutput',
  'systemMessage',
  'decision',
  'reason',
  'hookSpecificOutput',
] as const

/** Fields that belong into `hookSpecificOutput` and are often written at the top. */
export const SPECIFIC_FIELDS = [
  'permissionDecision',
  'permissionDecisionReason',
  'updatedInput',
  'additionalContext',
  'retry',
  'updatedToolOutput',
  'updatedMCPToolOutput',
  'updatedRequest',
  'updatedResponse',
] as const

/** Fields of a reply that a log line may have as well, so that alone they don't make a reply. */
const COMMON_WORDS: readonly string[] = ['reason', 'retry']

/** Fields that make a reply, also alone. */
const REPLY_FIELDS = [...COMMON_FIELDS, ...SPECIFIC_FIELDS].filter((field) => !COMMON_WORDS.includes(field))

const REPLY_WORD = new RegExp(`["'](?:${REPLY_FIELDS.join('|')})["']\\s*:`)
/** What no text has that is not about hooks. */
const DECIDING_WORD = /["'](?:decision|permissionDecision|hookSpecificOutput)["']\s*:/

/**
 * One JSON object is a reply; text that does not begin with `{` is text, unless a reply stands in it: a program that
 * greets before it answers still counts. Anything in between is named, never guessed at; what has the words of a reply is
 * never taken for text.
 */
export function parseOutput(stream: string): Output {
  const text = stream.trim()
  if (text === '') return { kind: 'empty' }
  const whole = parseObject(text)
  if (whole) return isEcho(whole) ? { kind: 'bad', cause: 'echo of its input' } : toJson(whole)

  const { objects, complete } = findObjects(text)
  const replies = text.startsWith('{') ? objects : objects.filter(({ value }) => isReply(value))
  const [first] = replies
  if (!first) {
    if (text.startsWith('{')) return { kind: 'bad', cause: 'bad JSON' }
    const isMeantAsReply = DECIDING_WORD.test(text) || (!complete && REPLY_WORD.test(text))
    return isMeantAsReply ? { kind: 'bad', cause: 'a reply that is no JSON object of its own' } : { kind: 'text', text }
  }
  if (replies.length > 1) return { kind: 'bad', cause: `${replies.length} JSON documents` }
  if (first.end < text.length) return { kind: 'bad', cause: 'text after the JSON document' }
  return toJson(first.value, text.slice(0, first.start).trim())
}

function toJson(value: JsonObject, noise?: string): Output {
  if (isTooDeep(value)) return { kind: 'bad', cause: TOO_DEEP }
  return noise === undefined ? { kind: 'json', value } : { kind: 'json', value, noise }
}

/** Whether an object says anything in the words of the protocol. */
export function isReply(value: JsonObject): boolean {
  return REPLY_FIELDS.some((field) => Object.hasOwn(value, field))
}

function isEcho(value: JsonObject): boolean {
  return Object.hasOwn(value, 'hook_event_name') && Object.hasOwn(value, 'session_id')
}

function parseObject(text: string): JsonObject | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isMap(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

interface FoundObject {
  readonly start: number
  readonly end: number
  readonly value: JsonObject
}

/** Output may hold any number of braces that are no JSON; looking at each of them would take quadratic time. */
const MAX_ATTEMPTS = 64

/**
 * Objects that begin at a word boundary and do not lie inside of another one. Of very many braces the first and the last
 * are looked at.
 */
function findObjects(text: string): { readonly objects: readonly FoundObject[]; readonly complete: boolean } {
  const openings = Array.from(text.matchAll(/(?<=^|\s|\})\{/g), ({ index }) => index)
  const complete = openings.length <= MAX_ATTEMPTS
  const starts = complete ? openings : [...openings.slice(0, MAX_ATTEMPTS / 2), ...openings.slice(-MAX_ATTEMPTS / 2)]
  const objects: FoundObject[] = []
  for (const start of starts) {
    if (start < (objects.at(-1)?.end ?? 0)) continue
    const end = endOfObject(text, start)
    const value = end === undefined ? undefined : parseObject(text.slice(start, end))
    if (end !== undefined && value) objects.push({ start, end, value })
  }
  return { objects, complete }
}

/** The offset behind the brace that closes the one at `start`; braces in JSON strings do not count. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0
  let inString = false
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (inString) {
      if (char === '\\') at++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '{') depth++
    else if (char === '}' && --depth === 0) return at + 1
  }
  return undefined
}
