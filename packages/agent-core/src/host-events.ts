import type { EventResult, LifecyclePayloads } from '@ext/kernel/contract'
import { inProcess } from './durable.js'
import { type Firing, fire } from './lifecycle.js'
import type { AgentContext, SessionState } from './run-context.js'
import { nothingSpent } from './spending.js'
import type { AgentSession, HostEvent } from './types.js'

/** What firing needs where no run does it. */
export function firingBesideRuns(agent: AgentContext, session: SessionState, emit: Firing['emit']): Firing {
  return {
    agent,
    session,
    durable: inProcess(agent.clock, agent.newId),
    health: { tracingFailed: false, auditFailed: false },
    span: undefined,
    spent: nothingSpent(),
    unclaimed: nothingSpent(),
    emit,
  }
}

/** Fires an event that has happened outside of the loop, and tells it in the run that is under way, or the next one. */
export async function fireForHost<E extends HostEvent>(
  agent: AgentContext,
  session: SessionState,
  event: E,
  payload: () => LifecyclePayloads[E],
  signal: AbortSignal,
): Promise<EventResult> {
  const firing = firingBesideRuns(agent, session, (type, fields) => session.tasks.tell(agent, session, type, fields))
  const result = await fire(firing, event, payload, { signal, place: 'host' })
  // Of several the first: it has kept the others from having a say.
  if (result.stop) session.stop ??= result.stop
  return result
}

/** Tells hooks once that nobody says anything, some time after each run. */
export interface Idle {
  /** A run is over. */
  begin(): void
  /** Another one begins, or the session ends. */
  end(): void
}

export function createIdle({ clock, idleMs }: AgentContext, fire: AgentSession['fire']): Idle {
  let cancel = () => {}
  return {
    begin() {
      cancel()
      if (idleMs === undefined) return
      const notification = { notification_type: 'idle_prompt', message: 'It is your turn.' } as const
      cancel = clock.after(idleMs, () => void fire('Notification', () => notification).catch(() => {}), {
        background: true,
      })
    },
    end: () => cancel(),
  }
}
