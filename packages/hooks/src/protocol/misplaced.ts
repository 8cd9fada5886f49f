import type { JsonValue, LifecycleEvent } from '@ext/kernel/contract'
import { events } from '../events.js'
import type { ReplyProblem } from './types.js'

type Decision = 'continue' | 'decision' | 'permissionDecision'

/** Words for a decision, in lower case and in one word; other products have `permission`. */
const WORDS: ReadonlyMap<string, Decision> = new Map([
  ['continue', 'continue'],
  ['decision', 'decision'],
  ['permission', 'permissionDecision'],
  ['permissiondecision', 'permissionDecision'],
])

/**
 * What is wrong with a field that the protocol does not have in its place, if it is meant as a decision: a guard that
 * decides in the wrong word or place means to keep something from happening.
 */
export function misplacedDecision(
  key: string,
  value: JsonValue | undefined,
  event: LifecycleEvent,
): ReplyProblem | undefined {
  const meant = WORDS.get(key.toLowerCase().replaceAll(/[-_]/g, ''))
  if (meant === undefined || value === null || value === undefined) return undefined
  // To go on is what happens anyway; and where nothing can be decided, nothing is lost.
  if (meant === 'continue' ? value !== false : events[event].tier === 'degrade') return undefined
  const cause = key === meant ? `${key} in the wrong place` : `\`${key}\` instead of ${meant}`
  return { cause, detail: `write ${formOf(meant, event)}` }
}

/** How a decision is written at an event. */
function formOf(meant: Decision, event: LifecycleEvent): string {
  if (meant === 'continue') return '{"continue": false, "stopReason": …}'
  const { outputs } = events[event]
  if (outputs.includes('decision')) {
    return `{"hookSpecificOutput": {"hookEventName": "${event}", "decision": {"behavior": "deny"}}}`
  }
  if (!outputs.includes('permissionDecision')) return '{"decision": "block", "reason": …}'
  return `{"hookSpecificOutput": {"hookEventName": "${event}", "permissionDecision": …}}`
}
