import { messageOf } from '@ext/kernel'
import type { SessionEndReason } from '@ext/kernel/contract'
import { firingBesideRuns } from './host-events.js'
import { type Firing, fire, sayBlockIgnored } from './lifecycle.js'
import { eventOf } from './run.js'
import type { AgentContext, SessionState } from './run-context.js'
import type { RunEvent } from './run-events.js'
import { attempt, createLimit } from './signals.js'
import { endAllTasks } from './tasks/end.js'
import { timestamps } from './timestamps.js'

/** A process that ends does not wait longer for the hooks of SessionEnd, whatever their own limits are. */
const END_MS = 60_000

/** Fires SessionEnd, if there is something to end, and gives what came of it as events, since no run tells them. */
export async function endState(
  agent: AgentContext,
  session: SessionState,
  reason: SessionEndReason,
): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = []
  const stamp = timestamps(agent.clock)
  const emit: Firing['emit'] = (type, fields) => events.push(eventOf(stamp(), session, type, fields))
  session.journal?.listen((text) => emit('notice', { text }))
  if (session.started) await tellEnd(agent, session, reason, emit)
  const say = (error: unknown) =>
    emit('notice', {
      text: `Hooks of an agent that had the conversation before could not be ended: ${messageOf(error)}`,
    })
  for (const { interceptor } of session.views.values()) {
    if (interceptor !== session.interceptor) attempt(() => interceptor?.end?.(), say)
  }
  session.started = false
  await session.journal?.close()
  return events
}

async function tellEnd(
  agent: AgentContext,
  session: SessionState,
  reason: SessionEndReason,
  emit: Firing['emit'],
): Promise<void> {
  const run = firingBesideRuns(agent, session, emit)
  await endAllTasks(run)
  const limit = createLimit(agent.clock, END_MS, new AbortController().signal)
  try {
    const { signal } = limit
    const result = await limit.hold(fire(run, 'SessionEnd', () => ({ reason }), { signal, place: 'end' }))
    sayBlockIgnored(run, result, 'a session ends anyway')
  } catch {
    emit('notice', { text: `The hooks of SessionEnd were still running after ${END_MS / 1000} s.` })
  }
  emit('session_end', { reason })
}
