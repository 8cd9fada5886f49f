import type { Agent } from '@ext/agent-core'
import type { AgentSession, Model } from '@ext/agent-core/types'
import type { HookHost, HookModelEvent, HookModelOptions } from '@ext/hooks/types'
import { ExtError } from '@ext/kernel'
import type { ModelRequest } from '@ext/kernel/contract'

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

interface Running {
  readonly agent: Agent
  readonly model: Model
}

export function lateAgent(): LateAgent {
  let session: AgentSession | undefined
  let running: Running | undefined
  const current = () => {
    if (!running) throw new ExtError('cli.hooks.no-agent', 'No agent runs, so there is no model to ask.')
    return running
  }
  return {
    host: {
      model: { stream: (request, options) => askForHook(current(), request, options) },
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

/** Has the model answer a hook. What it uses counts in the run that the hook is for; outside of a run there is none. */
async function* askForHook(
  { agent, model }: Running,
  request: ModelRequest,
  { signal, session, by }: HookModelOptions,
): AsyncGenerator<HookModelEvent> {
  const order = { by: `hook ${by}`, session, model, guards: true, request: () => request }
  const outcome = await agent.sample(order, { signal })
  switch (outcome.status) {
    case 'done':
      yield { type: 'text', text: outcome.text }
      yield { type: 'usage', outputTokens: outcome.usage.outputTokens }
      if (outcome.cut !== undefined) yield { type: 'cut' }
      return
    case 'failed':
      throw new Error(outcome.problem)
    default:
      yield* model.stream(request, { signal })
  }
}
