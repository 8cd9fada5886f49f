import { describe, ExtError } from '@ext/kernel'
import { type AgentDefinition, turnsProblem } from './agents/definition.js'
import { checkHandoff } from './agents/handoff/options.js'
import { isPermissionMode, PERMISSION_MODES } from './agents/modes.js'
import { foldName } from './agents/names.js'
import { isProfile, PROFILES } from './agents/profile.js'
import { agentRunner } from './agents/runner.js'
import { checkCompaction } from './compaction/options.js'
import { namedIds, namedModels, steadyClock } from './host-ports.js'
import { checkLimits } from './limits.js'
import { noGate } from './no-gate.js'
import type { AgentContext } from './run-context.js'
import type { RunEvent } from './run-events.js'
import { sampler } from './sample.js'
import { createSession, type Sessions } from './session.js'
import { newSession, resumeSession } from './sessions/open.js'
import type { Agent, AgentOptions } from './types.js'

/**
 * Makes an agent: a model with tools, in which hooks, permission and skills meet behind ports.
 * Rejects with `agent-core.limit` for a limit that is unknown or out of range, and with `agent-core.agents` for a sub-agent
 * whose name is taken, or whose mode or limit of turns is none, and with `agent-core.handoff` for a `handoff` that is none.
 */
export async function createAgent(options: AgentOptions): Promise<Agent> {
  const limits = checkLimits(options.limits)
  const agents = agentsByName(options.agents ?? [])
  const { createSchemaValidator } = await import('@ext/kernel/ajv')
  const { toolTable = {} } = options
  const ids = namedIds(options.ids ?? (() => crypto.randomUUID()))
  const troubles = new Set<string>()
  const agent: AgentContext = {
    model: options.model,
    system: options.system ?? '',
    tools: [...(options.tools ?? [])],
    extensions: [...(options.extensions ?? [])],
    interceptor: options.interceptor,
    gate: options.gate ?? noGate(toolTable),
    isGated: options.gate !== undefined,
    agents,
    models: namedModels(options.models),
    toolTable,
    tasks: options.tasks,
    handoff: checkHandoff(options.handoff, agents),
    audit: options.audit,
    store: options.store,
    instructions: options.instructions,
    compaction: checkCompaction(options.compaction),
    tracer: options.tracer,
    beforeTurn: options.beforeTurn,
    idleMs: options.idleMs,
    clock: steadyClock(options.ports.clock, (problem) => troubles.add(problem)),
    troubles,
    validator: await createSchemaValidator(),
    limits,
    diagnostics: options.diagnostics ?? { errors: 0, warnings: 0 },
    active: new Map(),
    newId: ids,
  }
  const sessions: Sessions = { begun: new Set(), running: new Set(), closed: false }
  let closing: Promise<readonly RunEvent[]> | undefined

  return {
    runner: agentRunner(agents, agent.active),
    sample: sampler(agent.active),
    session({ id = ids(), cwd, permissionMode = 'default', user }) {
      if (sessions.closed) throw new ExtError('agent-core.closed', 'The agent is closed.')
      if (id === '') throw new ExtError('agent-core.session.id', 'The `id` of a session must not be empty.')
      const problem = modeProblem(permissionMode)
      if (problem !== undefined) throw new ExtError('agent-core.session.mode', problem)
      const state = newSession(agent, { id, cwd, permissionMode, ...(user === undefined ? {} : { user }) })
      return createSession(agent, { state, origin: { source: 'startup' } }, sessions)
    },
    async resume(id, options = {}) {
      if (sessions.closed) throw new ExtError('agent-core.closed', 'The agent is closed.')
      const problem = modeProblem(options.permissionMode)
      if (problem !== undefined) throw new ExtError('agent-core.session.mode', problem)
      const opened = await resumeSession(agent, id, options)
      if (!sessions.closed) return createSession(agent, opened, sessions)
      await opened.state.journal?.close()
      throw new ExtError('agent-core.closed', 'The agent is closed.')
    },
    close() {
      sessions.closed = true
      closing ??= Promise.all([...sessions.begun].map((session) => session.end())).then((ends) => ends.flat())
      return closing
    },
  }
}

function agentsByName(agents: readonly AgentDefinition[]): ReadonlyMap<string, AgentDefinition> {
  const byName = new Map<string, AgentDefinition>()
  for (const definition of agents) {
    const { name, permissionMode, maxTurns, profile } = definition
    const key = foldName(name)
    const other = byName.get(key)
    const problem = other
      ? `there is another one called ${other.name}, and case does not tell them apart.`
      : (turnsProblem(maxTurns) ?? modeProblem(permissionMode) ?? profileProblem(profile))
    if (problem !== undefined)
      throw new ExtError('agent-core.agents', `The sub-agent ${name} can’t be used: ${problem}`)
    byName.set(key, Object.freeze({ ...definition }))
  }
  return byName
}

function modeProblem(mode: unknown): string | undefined {
  if (mode === undefined || isPermissionMode(mode)) return undefined
  return `\`permissionMode\` is ${describe(mode)}; there are ${PERMISSION_MODES.join(', ')}.`
}

function profileProblem(profile: unknown): string | undefined {
  if (profile === undefined || isProfile(profile)) return undefined
  return `\`profile\` is ${describe(profile)}; there is ${PROFILES.join(', ')}.`
}
