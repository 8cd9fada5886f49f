import { ExtError } from '@ext/kernel'
import { type StartedRun, startRun } from './run.js'
import type { AgentContext, SessionState } from './run-context.js'
import type { AgentSession } from './types.js'

/** @param running every run of the agent that is under way */
export function createSession(
  agent: AgentContext,
  state: SessionState,
  running: { readonly runs: Set<StartedRun>; readonly closed: boolean },
): AgentSession {
  let busy = false
  return {
    id: state.ref.id,
    get messages() {
      return [...state.messages]
    },
    run(input, { signal } = {}) {
      if (running.closed) throw new ExtError('agent-core.closed', 'The agent is closed.')
      if (busy) throw new ExtError('agent-core.session.busy', 'The session has a run under way; await its `result`.')
      busy = true
      const started = startRun(agent, state, input, signal, () => {
        busy = false
        running.runs.delete(started)
      })
      running.runs.add(started)
      return started.run
    },
  }
}
