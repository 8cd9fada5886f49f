import type { AgentDefinition, Tracer } from '@ext/agent-core/types'
import type { Hooks } from '@ext/hooks'
import type { Diagnostic, HostPorts } from '@ext/kernel'
import type { ToolTable } from '@ext/kernel/contract'
import type { McpClient } from '@ext/mcp-client'
import type { Permission } from '@ext/permission'
import type { Skills } from '@ext/skills'
import type { Follower } from '../follow/follow.js'
import type { Locations } from '../locations.js'
import type { Models } from '../models/models.js'
import { ownTools } from '../own-tools.js'
import { countSeverity } from '../render/words.js'
import type { SkillHost } from '../skills/host.js'
import { type SkillSessions, skillSessions } from '../skills/sessions.js'
import type { Extensions } from './extensions.js'
import type { LateAgent } from './late-agent.js'

/** What an agent is made of, once it is loaded. */
export interface AgentParts {
  readonly locations: Locations
  readonly ports: HostPorts
  readonly tools: ToolTable
  readonly models: Models
  readonly permission: Permission
  readonly gate: SkillHost['gate']
  readonly hooks: Hooks
  readonly skills: Skills
  readonly agents: readonly AgentDefinition[]
  readonly mcp: McpClient | undefined
  readonly tracer: Tracer | undefined
  readonly audited: boolean
  readonly running: LateAgent
  diagnostics(): readonly Diagnostic[]
  following(): Promise<Follower>
}

/** Makes agents of the same parts, one at a time: hooks, servers and skills act in the newest. */
export function agentMaker(parts: AgentParts): Pick<Extensions, 'createAgent' | 'skillSession'> {
  const { locations, ports, mcp, tracer } = parts
  let sessions: SkillSessions | undefined
  return {
    skillSession: (id) => sessions?.of(id),
    async createAgent({ model, spec }, { store, idleMs, ...limits }) {
      const [{ createAgent }, { instructionFiles }, { auditFile, taskFiles }, builtIn] = await Promise.all([
        import('@ext/agent-core'),
        import('@ext/agent-core/instructions'),
        import('@ext/agent-core/node'),
        ownTools(parts.permission, ports),
      ])
      const found = parts.diagnostics()
      const follower = await parts.following()
      sessions = skillSessions(parts.hooks, parts.skills)
      const { interceptor, extension } = sessions
      const agent = await createAgent({
        model,
        tools: builtIn,
        extensions: [extension, ...(mcp ? [mcp] : [])],
        interceptor,
        gate: parts.gate,
        instructions: instructionFiles({ files: ports.files, ...locations.instructions, home: ports.home }),
        ...(store ? { store } : {}),
        ...(idleMs === undefined ? {} : { idleMs }),
        agents: parts.agents,
        handoff: { first: nameOfFirst(parts.agents) },
        models: parts.models.namesFor(spec),
        toolTable: parts.tools,
        tasks: { files: taskFiles(locations.tasks) },
        ...(parts.audited ? { audit: auditFile(locations.audit) } : {}),
        ...(tracer ? { tracer } : {}),
        // Those of another session of the agent are not told.
        beforeTurn: ({ id }, options) => (id === parts.running.session()?.id ? follower.look(options) : undefined),
        ports,
        limits,
        diagnostics: {
          errors: countSeverity(found, 'error'),
          warnings: countSeverity(found, 'warning'),
        },
      })
      parts.running.set(agent, model)
      return agent
    },
  }
}

/** What others call the agent of the command line, when they hand its conversation back. */
function nameOfFirst(definitions: readonly AgentDefinition[]): string {
  const taken = new Set(definitions.map(({ name }) => name.toLowerCase().normalize('NFC')))
  let name = 'main'
  while (taken.has(name)) name = `${name}-agent`
  return name
}
