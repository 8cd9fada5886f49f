import { ExtError } from '@ext/kernel'
import type { Message, SessionEndReason, SessionRef } from '@ext/kernel/contract'
import { inProcess } from './durable.js'
import { frozenCopy } from './json.js'
import { type Firing, fire, sayBlockIgnored } from './lifecycle.js'
import { messagesProblem } from './messages.js'
import type { SessionOrigin } from './open-run.js'
import { eventOf, type StartedRun, startRun, timestamps } from './run.js'
import type { AgentContext, SessionState } from './run-context.js'
import type { RunEvent } from './run-events.js'
import { openState } from './session-state.js'
import { createLimit } from './signals.js'
import { nothingSpent } from './spending.js'
import { endAllTasks } from './tasks/end.js'
import type { AgentSession } from './types.js'

/** A process that ends does not wait longer for the hooks of SessionEnd, whatever their own limits are. */
const END_MS = 60_000

/** What an agent knows of its sessions. */
export interface Sessions {
  /** Those that have begun and not ended. */
  readonly begun: Set<{ end(): Promise<readonly RunEvent[]> }>
  /** The ids of those that have a run under way. */
  readonly running: Set<string>
  closed: boolean
}

export function createSession(agent: AgentContext, first: SessionRef, sessions: Sessions): AgentSession {
  let state = openState(agent, first, agent.system)
  let origin: SessionOrigin = { source: 'startup' }
  let running: StartedRun | undefined
  let clearing: Promise<readonly RunEvent[]> | undefined
  let ended: Promise<readonly RunEvent[]> | undefined

  const checkFree = () => {
    if (sessions.closed) throw new ExtError('agent-core.closed', 'The agent is closed.')
    if (ended) throw new ExtError('agent-core.session.ended', 'The session has ended; open another one.')
    if (running || clearing || sessions.running.has(state.ref.id)) {
      throw new ExtError(
        'agent-core.session.busy',
        'The session has a run under way, or another one of its id has; await its `result`.',
      )
    }
  }
  const self: AgentSession = {
    get id() {
      return state.ref.id
    },
    get messages() {
      return [...state.messages]
    },
    run(input, options = {}) {
      checkFree()
      checkInput(input)
      const { id } = state.ref
      sessions.begun.add(self)
      sessions.running.add(id)
      const started = startRun(agent, state, {
        input: typeof input === 'string' ? input : frozenCopy(input),
        origin,
        options,
        onEnd() {
          running = undefined
          sessions.running.delete(id)
        },
      })
      running = started
      return started.run
    },
    async clear() {
      checkFree()
      const id = agent.newId()
      if (id === '') throw new ExtError('agent-core.session.id', 'The `id` of a session must not be empty.')
      clearing = endState(agent, state, 'clear')
      try {
        const events = await clearing
        origin = { source: 'clear', fromSessionId: state.ref.id }
        state = openState(agent, Object.freeze({ ...state.ref, id }), agent.system)
        return events
      } finally {
        clearing = undefined
      }
    },
    end(reason = 'other') {
      ended ??= endAll(reason)
      return ended
    },
  }

  async function endAll(reason: SessionEndReason): Promise<readonly RunEvent[]> {
    running?.abort(new ExtError('agent-core.session.ended', 'The session was ended.'))
    await running?.run.result
    await clearing
    const events = await endState(agent, state, reason)
    sessions.begun.delete(self)
    return events
  }
  return self
}

/** Fires SessionEnd, if there is something to end, and gives what came of it as events, since no run tells them. */
async function endState(
  agent: AgentContext,
  session: SessionState,
  reason: SessionEndReason,
): Promise<readonly RunEvent[]> {
  if (!session.started) return []
  session.started = false
  const events: RunEvent[] = []
  const stamp = timestamps(agent.clock)
  const run: Firing = {
    agent,
    session,
    durable: inProcess(agent.clock, agent.newId),
    health: { tracingFailed: false, auditFailed: false },
    span: undefined,
    spent: nothingSpent(),
    unclaimed: nothingSpent(),
    emit: (type, fields) => events.push(eventOf(stamp(), session, type, fields)),
  }
  await endAllTasks(run)
  const limit = createLimit(agent.clock, END_MS, new AbortController().signal)
  try {
    const { signal } = limit
    const result = await limit.hold(fire(run, 'SessionEnd', () => ({ reason }), { signal, place: 'end' }))
    sayBlockIgnored(run, result, 'a session ends anyway')
  } catch {
    run.emit('notice', { text: `The hooks of SessionEnd were still running after ${END_MS / 1000} s.` })
  }
  run.emit('session_end', { reason })
  return events
}

function checkInput(input: string | readonly Message[]): void {
  if (typeof input === 'string') return
  const problem = messagesProblem(input)
  if (problem !== undefined) throw new ExtError('agent-core.run.messages', `The messages can’t be used: ${problem}.`)
}
