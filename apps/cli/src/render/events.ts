import type { RunEvent } from '@ext/agent-core/types'
import { oneLine } from './words.js'

type Of<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>

const OUTCOMES = {
  decided: 'decided',
  noDecision: 'ran',
  failed: 'failed',
  timedOut: 'timed out',
  skipped: 'was skipped',
} as const

/** What a hook did. @param most characters of its reason */
export function describeHook({ hook, outcome, cause, reason }: Of<'hook'>, most: number): string {
  return `${hook} ${OUTCOMES[outcome]}${cause ? ` (${oneLine(cause)})` : ''}${reason ? `: ${oneLine(reason, most)}` : ''}`
}

export function describeHandoff({ from, to, reason }: Of<'handoff'>): string {
  return `${from} hands over to ${to}${reason ? `: ${oneLine(reason, 300)}` : ''}`
}
