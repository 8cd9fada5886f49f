import { messageOf, suggest } from '@ext/kernel'
import type { AgentOrder, AgentOutcome, AgentRunner, Tool } from '@ext/kernel/contract'
import { inProcess } from '../durable.js'
import { addHelper } from '../helpers.js'
import type { RunContext } from '../run-context.js'
import { runKey } from '../run-key.js'
import { spend } from '../spending.js'
import { runChild, whyUnfinished } from './child.js'
import { type AgentDefinition, turnsProblem } from './definition.js'
import { foldName } from './names.js'
import { sharedWith } from './shared.js'
import { mayUseTool } from './tool-list.js'

/** Runs sub-agents for hooks and skills: in the run of the session that asks, in its budget, with its tools at most. */
export function agentRunner(
  agents: ReadonlyMap<string, AgentDefinition>,
  active: ReadonlyMap<string, RunContext>,
): AgentRunner {
  return {
    async run(order, { signal } = {}) {
      signal?.throwIfAborted()
      try {
        const parent = active.get(runKey(order.session))
        if (!parent) return failure('The session has no run under way.')
        const refusal = whyNot(parent)
        if (refusal !== undefined) return failure(refusal)
        const definition = definitionOf(agents, order)
        if (typeof definition === 'string') return failure(definition)
        return await runFor(parent, order, definition, signal)
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        return failure(messageOf(error))
      }
    },
  }
}

/** Each call of such a sub-agent is heard by hooks, which must not start another one, and so on for ever. */
function whyNot({ session, agent }: RunContext): string | undefined {
  if (agent.limits.maxAgentDepth === 0) return 'The limit maxAgentDepth allows no sub-agents.'
  return session.ref.origin === 'hook' ? 'A sub-agent of a hook or a skill starts no others.' : undefined
}

async function runFor(
  parent: RunContext,
  order: AgentOrder,
  definition: AgentDefinition,
  signal: AbortSignal | undefined,
): Promise<AgentOutcome> {
  const { agent } = parent
  const id = agent.newId()
  const controller = new AbortController()
  const abort = (reason: unknown) => controller.abort(reason)
  const follow = () => abort(signal?.reason)
  signal?.addEventListener('abort', follow)
  const withParent = () => abort(parent.signal.reason)
  parent.signal.addEventListener('abort', withParent)
  if (parent.signal.aborted) withParent()
  const done = runChild(parent, {
    definition,
    prompt: order.prompt,
    conversation: sharedWith(parent.session, order.context ?? 'none'),
    origin: 'hook',
    id,
    runId: `${parent.id}:${id}`,
    // It is a part of the step of whoever asks.
    durable: inProcess(agent.clock, agent.newId),
    path: `${parent.path}${id}/`,
    signal: controller.signal,
    allows: (tool) => (order.tools ? mayUseTool({ tools: order.tools }, tool, agent.toolTable) : onlyReads(tool)),
    agentToolFor: () => undefined,
    guards: order.guards === true,
    ...(order.terms ? { terms: order.terms } : {}),
    ...(order.effort === undefined ? {} : { effort: order.effort }),
  })
  addHelper(parent, { done, patient: false, abort })
  try {
    const child = await done
    spend(parent.unclaimed, child.used)
    signal?.throwIfAborted()
    if (child.end.reason === 'done') return { done: true, text: child.text }
    return { done: false, text: child.text, problem: whyUnfinished(definition.name, child) }
  } finally {
    signal?.removeEventListener('abort', follow)
    parent.signal.removeEventListener('abort', withParent)
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
  const problem = turnsProblem(maxTurns)
  if (problem !== undefined) return problem
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
