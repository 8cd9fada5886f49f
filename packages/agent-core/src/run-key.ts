import type { SessionRef } from '@ext/kernel/contract'

/** What a run under way is found by: a session has one at a time, and so has each sub-agent in it. */
export function runKey({ id, origin, agent }: SessionRef): string {
  return JSON.stringify(origin === 'main' || !agent ? [id] : [id, agent.id])
}
