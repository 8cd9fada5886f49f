import { ExtError } from '@ext/kernel'
import type { SessionRef } from '@ext/kernel/contract'
import type { AgentDefinition } from './agents/definition.js'
import { foldName } from './agents/names.js'
import { agentRunner } from './agents/runner.js'
import { checkLimits } from './limits.js'
import { noGate } from './no-gate.js'
import type { AgentContext } from './run-context.js'
import { createSession, type Sessions } from './session.js'
import type { Agent, AgentOptions } from './types.js'

/**
 * Makes an agent: a model with tools, in which hooks, permission and skills meet behind ports.
 * Rejects with `agent-core.limit` for a limit that is unknown or out of range, and with `agent-core.agents` for two
 * sub-agents of one name.
 */
export async function createAgent(options: AgentOptions): Promise<Agent> {
  const limits = checkLimits(options.limits)
  const agents = agentsByName(options.agents ?? [])
  const { createSchemaValidator } = await import('@ext/kernel/ajv')
  const { ids = () => crypto.randomUUID(), models = () => undefined, toolTable = {} } = options
  const agent: AgentContext = {
    model: options.model,
    system: options.system ?? '',
    tools: [...(options.tools ?? [])],
    extensions: [...(options.extensions ?? [])],
    interceptor: options.interceptor,
    gate: options.gate ?? noGate,
    agents,
    models,
    toolTable,
    audit: options.audit,
    tracer: options.tracer,
    clock: options.ports.clock,
    validator: await createSchemaValidator(),
    limits,
    diagnostics: options.diagnostics ?? { errors: 0, warnings: 0 },
    active: new Map(),
    newId: ids,
  }
  const sessions: Sessions = { begun: new Set(), closed: false }

  return {
    runner: agentRunner(agents, agent.active),
    session({ id = ids(), cwd, permissionMode = 'default', user }) {
      if (sessions.closed) throw new ExtError('agent-core.closed', 'The agent is closed.')
      if (id === '') throw new ExtError('agent-core.session.id', 'The `id` of a session must not be empty.')
      const ref: SessionRef = {
        id,
        cwd,
        origin: 'main',
        permissionMode,
        ...(user === undefined ? {} : { user }),
      }
      return createSession(agent, ref, sessions)
    },
    async close() {
      sessions.closed = true
      const ends = await Promise.all([...sessions.begun].map((session) => session.end()))
      return ends.flat()
    },
  }
}

function agentsByName(agents: readonly AgentDefinition[]): ReadonlyMap<string, AgentDefinition> {
  const byName = new Map<string, AgentDefinition>()
  for (const definition of agents) {
    const key = foldName(definition.name)
    const other = byName.get(key)
    if (other) {
      throw new ExtError(
        'agent-core.agents',
        `There are two sub-agents called ${other.name} and ${definition.name}; case does not tell them apart.`,
      )
    }
    byName.set(key, definition)
  }
  return byName
}
