import type { JsonObject, JsonValue } from '@ext/kernel/contract'

/** The fields of a reply, of which `null` says nothing. */
type Fields = Readonly<Record<string, JsonValue | undefined>>

/** Fields in which each has a say of its own. */
const TEXTS = ['systemMessage', 'stopReason', 'additionalContext']

/** Fields of which a later one replaces only the parts that it names. */
const PARTS = ['updatedRequest', 'updatedResponse']

/** Decisions, the strictest first, each with the field that explains it. */
const DECISIONS: readonly { readonly field: string; readonly why: string; readonly order: readonly string[] }[] = [
  { field: 'decision', why: 'reason', order: ['block', 'approve'] },
  { field: 'permissionDecision', why: 'permissionDecisionReason', order: ['deny', 'ask', 'allow'] },
  { field: 'action', why: 'reason', order: ['decline', 'cancel', 'accept'] },
]

/**
 * Several replies as one that says what all of them say: texts follow each other, of decisions the strictest counts with
 * its reasons, and of rewrites the last.
 */
export function joinReplies(replies: readonly JsonObject[]): JsonObject {
  const specific = replies.flatMap(({ hookSpecificOutput: own }) => (isMap(own) ? [own] : []))
  const joined = joinFields(replies)
  if (replies.some((reply) => reply['continue'] === false)) joined['continue'] = false
  return specific.length > 0 ? { ...joined, hookSpecificOutput: joinFields(specific) } : joined
}

function joinFields(all: readonly Fields[]): Record<string, JsonValue> {
  const joined: Record<string, JsonValue> = {}
  for (const [key, value] of all.flatMap((fields) => Object.entries(fields))) {
    if (value === undefined || value === null) continue
    const before = joined[key]
    if (TEXTS.includes(key) && before !== undefined) joined[key] = `${before}\n${value}`
    else if (PARTS.includes(key) && isMap(before) && isMap(value)) joined[key] = { ...before, ...value }
    else joined[key] = value
  }
  for (const { field, why, order } of DECISIONS) {
    const strictest = order.find((decision) => all.some((fields) => fields[field] === decision))
    if (strictest === undefined) continue
    joined[field] = strictest
    const reasons = all.flatMap((fields) => (fields[field] === strictest ? (fields[why] ?? []) : []))
    if (reasons.length > 0) joined[why] = reasons.join('\n')
    else delete joined[why]
  }
  const answers = all.flatMap(({ decision }) => (isMap(decision) ? [decision] : []))
  if (answers.length > 0) joined['decision'] = joinAnswers(answers)
  return joined
}

/** Answers to a permission request. */
function joinAnswers(answers: readonly JsonObject[]): JsonObject {
  const denials = answers.filter(({ behavior }) => behavior === 'deny')
  const counting = denials.length > 0 ? denials : answers
  const messages = counting.flatMap(({ message }) => message ?? [])
  const rules = counting.flatMap(({ updatedPermissions }) => updatedPermissions ?? [])
  return {
    ...Object.assign({}, ...counting),
    ...(messages.length > 0 ? { message: messages.join('\n') } : {}),
    ...(rules.length > 0 ? { updatedPermissions: rules } : {}),
  }
}

/** That of the kernel would cost a script the start of the whole kernel. */
function isMap(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
