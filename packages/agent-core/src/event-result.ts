import { ExtError, isMap } from '@ext/kernel'
import type { ElicitationAction, EventResult } from '@ext/kernel/contract'

export const NOTHING: EventResult = Object.freeze({ runs: [], context: [], notices: [] })

/**
 * What an interceptor answered, checked as far as the loop relies on it: a host in plain JavaScript may leave out what it
 * has nothing to say about, and may get the rest wrong. `null`: it has no answer. Throws for what is none.
 */
export function checkedResult(answer: unknown): EventResult | null {
  if (answer === undefined || answer === null) return null
  if (!isMap(answer)) throw wrong('what they answered')
  const result = { ...NOTHING, ...(answer as Partial<EventResult>) }
  for (const [part, isRight] of PARTS) {
    const value: unknown = result[part]
    if (value !== undefined && !isRight(value)) throw wrong(`\`${part}\` of what they answered`)
  }
  return result
}

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const listOf =
  (isRight: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(isRight)
const mapOf =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isMap(value) && Object.entries(fields).every(([key, isRight]) => isRight(value[key]))

const attributed = mapOf({ by: isText, text: isText })
const reasoned = mapOf({ by: isText, reason: isText })

const PARTS: readonly (readonly [keyof EventResult, Check])[] = [
  ['runs', listOf(mapOf({ hook: isText, outcome: isText }))],
  ['context', listOf(attributed)],
  ['notices', listOf(attributed)],
  ['block', reasoned],
  ['stop', reasoned],
  ['opinion', mapOf({ by: isText, behavior: (value) => value === 'allow' || value === 'ask' })],
  ['updatedInput', mapOf({ by: isText, input: isMap })],
  ['answer', mapOf({ by: isText, behavior: (value) => value === 'allow' || value === 'deny' })],
  ['retry', mapOf({ by: isText })],
  ['updatedOutput', mapOf({ by: isText, output: (value) => value !== undefined })],
  ['updatedRequest', mapOf({ by: isText, request: isMap })],
  ['updatedResponse', mapOf({ by: isText, response: isMap })],
  ['elicitation', mapOf({ by: isText, action: (value) => ACTIONS.includes(value) })],
]

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel'] satisfies ElicitationAction[]

function wrong(what: string): ExtError {
  return new ExtError('agent-core.interceptor.answer', `${what} is no result of an event`)
}
