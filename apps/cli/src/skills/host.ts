import type { AgentRunner, SessionRef, ToolTable } from '@ext/kernel/contract'
import { minimalEnv } from '@ext/kernel/env'
import type { HostPorts } from '@ext/kernel/types'
import type { Permission, PermissionSession } from '@ext/permission'
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

/**
 * The permission of a session, once: the loop and the skills ask the same one, so that what a person has allowed for the
 * session counts for both.
 */
export function sharedGate(permission: () => Permission): SkillHost['gate'] {
  const known = new WeakMap<SessionRef, PermissionSession>()
  return {
    session(ref) {
      const session = known.get(ref) ?? permission().session(ref)
      known.set(ref, session)
      return session
    },
  }
}
