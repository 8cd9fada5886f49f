import type { Agent } from '@ext/agent-core'
import type { AgentSession, Model } from '@ext/agent-core/types'
import type { HookHost } from '@ext/hooks/types'
import { ExtError } from '@ext/kernel'

/** What hooks and servers ask models and sub-agents through. They are loaded before the agent that they act in. */
export interface LateAgent {
  readonly host: Required<Pick<HookHost, 'model' | 'runner'>>
  /** `undefined` before there is one. */
  agent(): Agent | undefined
  set(agent: Agent, model: Model): void
  /** Whose hooks hear of what happens outside of the loop. */
  session(): AgentSession | undefined
  attach(session: AgentSession): void
}

export function lateAgent(): LateAgent {
  let session: AgentSession | undefined
  let running: { readonly agent: Agent; readonly model: Model } | undefined
  const current = () => {
    if (!running) throw new ExtError('cli.hooks.no-agent', 'No agent runs, so there is no model to ask.')
    return running
  }
  return {
    host: {
      model: { stream: (request, options) => current().model.stream(request, options) },
      runner: { run: async (order, options) => current().agent.runner.run(order, options) },
    },
    agent: () => running?.agent,
    set: (agent, model) => {
      running = { agent, model }
      // It was one of the agent before.
      session = undefined
    },
    session: () => session,
    attach: (next) => {
      session = next
    },
  }
}
