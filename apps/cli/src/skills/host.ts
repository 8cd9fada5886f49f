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
  /**
   * The session is opened once more, for another model: what was allowed in it stays so, for each agent that has had the
   * conversation. Another session that begins before ends that.
   */
  goesOn(id: string): void
}

/** Of a session, the agent that has its conversation, and in which mode: one that it is handed to has yeses of its own. */
export type Conversation = Pick<AgentSession, 'id' | 'agent' | 'permissionMode'>

/**
 * The permission of a session, once: the loop and the skills ask the same one, so that what a person has allowed for the
 * session counts for both.
 */
export function sharedGate(permission: () => Permission): SharedGate {
  const known = new WeakMap<SessionRef, PermissionSession>()
  const main = new Map<string, { readonly id: string; readonly session: PermissionSession }>()
  const before = new Map<string, PermissionSession>()
  let current: string | undefined

  /** A session that is taken up anew remembers nothing of what was allowed in it earlier. */
  const begin = (id: string) => {
    before.clear()
    for (const [key, each] of main) if (each.id === id) main.delete(key)
    current = id
  }
  const openMain = (ref: SessionRef): PermissionSession => {
    const { id, agent, permissionMode } = ref
    if (id !== current) begin(id)
    const key = keyOf({ id, agent: agent?.type, permissionMode })
    const continues = before.get(key)
    before.delete(key)
    const session = permission().session(ref, continues ? { continues } : {})
    main.set(key, { id, session })
    return session
  }
  return {
    session(ref) {
      const opened = known.get(ref)
      if (opened) return opened
      const session = ref.origin === 'main' ? openMain(ref) : permission().session(ref)
      known.set(ref, session)
      return session
    },
    remembered: (conversation) => main.get(keyOf(conversation))?.session.remembered ?? [],
    goesOn(id) {
      const open = [...main].filter(([, each]) => each.id === id)
      begin(id)
      for (const [key, { session }] of open) before.set(key, session)
    },
  }
}

function keyOf({ id, agent, permissionMode }: Conversation): string {
  return JSON.stringify([id, agent, permissionMode])
}
