import { ExtError, suggest } from '@ext/kernel'
import type { PermissionMode, SessionRef } from '@ext/kernel/contract'
import { viewsOf } from '../../host-ports.js'
import type { AgentContext, RunContext, SessionState } from '../../run-context.js'
import type { SessionEventFields } from '../../sessions/log.js'
import type { KeptHolder } from '../../sessions/restored.js'
import type { AgentDefinition } from '../definition.js'
import { foldName } from '../names.js'
import { type Role, roleOf } from '../role.js'
import { handoffToolFor } from './tool.js'

/** Who has the conversation of a session since it was handed over. */
export interface Holder {
  /** `undefined`: the first agent, who has got it back. */
  readonly definition: AgentDefinition | undefined
  readonly role: Role
  /** Turns of the run that were over when it took the conversation. */
  readonly since: number
}

/** The views of hooks and gate that an agent has of its session. */
export type Views = Pick<SessionState, 'ref' | 'interceptor' | 'gate'>

export function holderName({ handoff }: AgentContext, holder: Holder | undefined): string {
  return holder?.definition?.name ?? handoff?.first ?? 'main'
}

/**
 * What another agent is once it takes over. Its tools are those of the session that its lists leave, whoever had the
 * conversation before; mode and profile never get looser by a handoff, for nobody would have been asked.
 */
export function nextHolder(
  { agent, session: { ref, holder } }: Pick<RunContext, 'agent' | 'session'>,
  definition: AgentDefinition | undefined,
  since: number,
): Holder {
  const before = { mode: ref.permissionMode, profile: holder?.role.profile }
  return { definition, role: roleOf(agent, definition ?? FIRST, before), since }
}

/** The first agent has all tools, and no wishes. */
const FIRST: AgentDefinition = { name: '', description: '', prompt: '' }

/**
 * Puts an agent in the place of the one that has had the conversation. One synchronous step. Hooks and gate see a session of
 * this agent from here on; one that had the conversation before in the same mode gets its views back, with all that was
 * granted and remembered there.
 */
export function seat(
  agent: AgentContext,
  session: SessionState,
  holder: Holder,
  ref: SessionRef = refFor(session, holder),
): void {
  const { definition } = holder
  session.views.set(viewKey(session.ref), { ref: session.ref, interceptor: session.interceptor, gate: session.gate })
  const known = session.views.get(viewKey(ref))
  const views = known ?? { ref, ...viewsOf(agent, ref) }
  Object.assign(session, views)
  session.prefix = definition ? definition.prompt : agent.system
  session.system = undefined
  session.toolbox = undefined
  session.inEffect = new Set()
  session.holder = holder
}

/** The session, for an agent that takes its conversation over. */
export function refFor({ ref }: Pick<SessionState, 'ref'>, { definition, role }: Holder): SessionRef {
  const { agent: _, ...same } = ref
  return Object.freeze({
    ...same,
    permissionMode: role.mode,
    ...(definition ? { agent: Object.freeze({ type: definition.name }) } : {}),
  })
}

function viewKey({ permissionMode, agent }: SessionState['ref']): string {
  return JSON.stringify([permissionMode, agent?.type])
}

/** Makes a run work as the agent that has the conversation. */
export function workAsHolder(run: RunContext): void {
  const { agent, session } = run
  const { holder } = session
  if (holder) {
    const { definition, role, since } = holder
    run.ownModel = role.model ?? agent.model
    run.model = run.ownModel
    run.profile = role.profile
    run.allows = role.allows
    run.maxTurns = Math.min(agent.limits.maxTurns, since + (definition?.maxTurns ?? agent.limits.maxTurns))
  }
  run.handoffTool = handoffToolFor(run)
}

/**
 * Who had the conversation by the log.
 * @param mode what a person has chosen for the session now; else the mode that the agent had
 * @throws `agent-core.session.agent` if there is no such agent any more: the first one may do more than that one could
 */
export function restoredHolder(
  agent: AgentContext,
  { name, permissionMode, profile, since }: KeptHolder,
  mode: PermissionMode | undefined,
): Holder {
  const definition = name === undefined ? undefined : agent.agents.get(foldName(name))
  if (name !== undefined && !definition) throw goneAgent(agent, name)
  return { definition, role: roleOf(agent, definition ?? FIRST, { mode: mode ?? permissionMode, profile }), since }
}

function goneAgent({ agents }: AgentContext, name: string): ExtError {
  const meant = suggest(
    name,
    [...agents.values()].map((each) => each.name),
  )
  return new ExtError(
    'agent-core.session.agent',
    `The conversation of the session was handed over to the agent ${name}, and there is none of this name that could be used${
      meant === undefined ? '' : ` (there is ${meant})`
    }. Repair or restore its definition, or resume with \`handBack\`, which gives the conversation back to the first agent.`,
  )
}

/** The agent that has the conversation, as the log keeps it. */
export function keptHolder({ holder, ref }: Pick<SessionState, 'holder' | 'ref'>): SessionEventFields['agent'] {
  const { definition, role, since = 0 } = holder ?? {}
  return {
    ...(definition ? { name: definition.name } : {}),
    permissionMode: ref.permissionMode,
    ...(role?.profile === undefined ? {} : { profile: role.profile }),
    turn: since,
  }
}
