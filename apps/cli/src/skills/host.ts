import type { AgentSession } from '@ext/agent-core/types'
import type { AgentRunner, SessionRef, ToolTable } from '@ext/kernel/contract'
import { minimalEnv } from '@ext/kernel/env'
import type { HostPorts } from '@ext/kernel/types'
import type { Permission, PermissionSession, RememberedRule } from '@ext/permission'
import type { SkillsOptions } from '@ext/skills/types'

export interface SkillHost {
  readonly tools: ToolTable
  readonly runner: AgentRunner
  readonly ports: HostPorts
  /** Run the commands that bodies of trusted skills mark. */
  readonly commands: boolean
  readonly gate: { session(ref: SessionRef): PermissionSession }
}

/** What skills work with in this host. */
export async function skillHost({
  tools,
  runner,
  ports,
  commands,
  gate,
}: SkillHost): Promise<Pick<SkillsOptions, 'tools' | 'runner' | 'permission' | 'commands'>> {
  const host = { tools, runner, permission: gate }
  if (!commands) return host
  const { shellTool } = await import('@ext/agent-core/tools')
  const env = minimalEnv(ports.env, ports.platform)
  return { ...host, commands: { process: ports.process, env, tool: shellTool({ process: ports.process, env }) } }
}

export interface SharedGate {
  session(ref: SessionRef): PermissionSession
  /** What is remembered in the main conversation of a session, for the agent that has it. */
  remembered(conversation: Conversation): readonly RememberedRule[]
}

/** Of a session, the agent that has its conversation, and in which mode: one that it is handed to has yeses of its own. */
export type Conversation = Pick<AgentSession, 'id' | 'agent' | 'permissionMode'>

/**
 * The permission of a session, once: the loop and the skills ask the same one, so that what a person has allowed for the
 * session counts for both.
 */
export function sharedGate(permission: () => Permission): SharedGate {
  const known = new WeakMap<SessionRef, PermissionSession>()
  const main = new Map<string, PermissionSession>()
  return {
    session(ref) {
      const before = known.get(ref)
      if (before) return before
      const session = permission().session(ref)
      known.set(ref, session)
      // A session that is taken up anew remembers nothing of what was allowed in it before.
      const { id, agent, permissionMode } = ref
      if (ref.origin === 'main') main.set(keyOf({ id, agent: agent?.type, permissionMode }), session)
      return session
    },
    remembered: (conversation) => main.get(keyOf(conversation))?.remembered ?? [],
  }
}

function keyOf({ id, agent, permissionMode }: Conversation): string {
  return JSON.stringify([id, agent, permissionMode])
}
