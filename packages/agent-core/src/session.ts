import { ExtError } from '@ext/kernel'
import type { Message, SessionEndReason, SessionRef } from '@ext/kernel/contract'
import { inProcess } from './durable.js'
import { type Firing, fire, sayBlockIgnored } from './lifecycle.js'
import { messagesProblem } from './messages.js'
import type { SessionOrigin } from './open-run.js'
import { eventOf, type StartedRun, startRun, timestamps } from './run.js'
import type { AgentContext, SessionState } from './run-context.js'
import type { RunEvent } from './run-events.js'
import { openState } from './session-state.js'
import { createLimit } from './signals.js'
import type { AgentSession } from './types.js'

/** A process that ends does not wait longer for the hooks of SessionEnd, whatever their own limits are. */
const END_MS = 60_000

/** What an agent knows of its sessions. */
export interface Sessions {
  /** Those that have begun and not ended. */
  readonly begun: Set<{ end(): Promise<readonly RunEvent[]> }>
  closed: boolean
}

export function createSession(agent: AgentContext, first: SessionRef, sessions: Sessions): AgentSession {
  let state = openState(agent, first, agent.system)
  let origin: SessionOrigin = { source: 'startup' }
  let running: StartedRun | undefined
  let clearing = false
  let ended: Promise<readonly RunEvent[]> | undefined

  const checkFree = () => {
    if (sessions.closed) throw new ExtError('agent-core.closed', 'The agent is closed.')
    if (ended) throw new ExtError('agent-core.session.ended', 'The session has ended; open another one.')
    if (running || clearing) {
      throw new ExtError('agent-core.session.busy', 'The session has a run under way; await its `result`.')
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
      sessions.begun.add(self)
      const started = startRun(agent, state, {
        input,
        origin,
        options,
        onEnd() {
          running = undefined
        },
      })
      running = started
      return started.run
    },
    async clear() {
      checkFree()
      clearing = true
      try {
        const events = await endState(agent, state, 'clear')
        origin = { source: 'clear', fromSessionId: state.ref.id }
        state = openState(agent, { ...state.ref, id: agent.newId() }, agent.system)
        return events
      } finally {
        clearing = false
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
    sessions.begun.delete(self)
    return endState(agent, state, reason)
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
    tracing: { failed: false },
    span: undefined,
    emit: (type, fields) => events.push(eventOf(stamp(), session, type, fields)),
  }
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
