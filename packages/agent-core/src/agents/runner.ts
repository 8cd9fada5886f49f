import { messageOf, suggest } from '@ext/kernel'
import type { AgentOrder, AgentOutcome, AgentRunner, Tool } from '@ext/kernel/contract'
import { inProcess } from '../durable.js'
import type { RunContext } from '../run-context.js'
import { runKey } from '../run-key.js'
import { runChild, whyUnfinished } from './child.js'
import type { AgentDefinition } from './definition.js'
import { foldName } from './names.js'
import { mayUseTool } from './tool-list.js'

/** Runs sub-agents for hooks and skills: in the run of the session that asks, in its budget, with its tools at most. */
export function agentRunner(
  agents: ReadonlyMap<string, AgentDefinition>,
  active: ReadonlyMap<string, RunContext>,
): AgentRunner {
  return {
    async run(order, { signal } = {}) {
      signal?.throwIfAborted()
      const parent = active.get(runKey(order.session))
      if (!parent) return failure('The session has no run under way.')
      const definition = definitionOf(agents, order)
      if (typeof definition === 'string') return failure(definition)
      const id = parent.agent.newId()
      try {
        const child = await runChild(parent, {
          definition,
          prompt: order.prompt,
          conversation: [],
          origin: 'hook',
          id,
          runId: `${parent.id}:${id}`,
          // It is a part of the step of whoever asks.
          durable: inProcess(parent.agent.clock, parent.agent.newId),
          signal: signal ? AbortSignal.any([signal, parent.signal]) : parent.signal,
          allows: (tool) =>
            order.tools ? mayUseTool({ tools: order.tools }, tool, parent.agent.toolTable) : onlyReads(tool),
          agentToolFor: () => undefined,
        })
        signal?.throwIfAborted()
        if (child.end.reason === 'done') return { done: true, text: child.text }
        return { done: false, text: child.text, problem: whyUnfinished(definition.name, child) }
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        return failure(messageOf(error))
      }
    },
  }
}

function onlyReads({ annotations, source }: Tool): boolean {
  return annotations.readOnly && source.trusted
}

/** What an order says goes before what the definition says; of tools only those are left that both allow. */
function definitionOf(
  agents: ReadonlyMap<string, AgentDefinition>,
  { type, model, maxTurns }: AgentOrder,
): AgentDefinition | string {
  const known = type === undefined ? UNNAMED : agents.get(foldName(type))
  if (!known) {
    const names = [...agents.values()].map(({ name }) => name)
    const meant = suggest(type ?? '', names)
    return `There is no sub-agent ${type}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`
  }
  return {
    ...known,
    ...(model === undefined ? {} : { model }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
  }
}

const UNNAMED: AgentDefinition = { name: 'helper', description: 'Works for a hook or a skill.', prompt: '' }

function failure(problem: string): AgentOutcome {
  return { done: false, text: '', problem }
}
