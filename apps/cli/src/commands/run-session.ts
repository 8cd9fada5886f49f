import type { Agent, AgentSession, SessionStore } from '@ext/agent-core/types'
import { ExtError, formatPlace } from '@ext/kernel'
import type { PermissionMode } from '@ext/kernel/contract'
import type { ComposeOptions, Extensions } from '../compose.js'
import type { Locations } from '../locations.js'
import { elsewhere, findSession, newestSession } from '../sessions.js'

/** Which session a prompt is for. */
export interface SessionChoice {
  readonly permissionMode?: PermissionMode
  readonly resume?: string
  readonly continue?: boolean
  readonly fork?: boolean
  readonly handBack?: boolean
  /** False: nothing is kept. */
  readonly save: boolean
}

/** What does not go together, as a sentence. */
export function usageProblem(prompt: string | undefined, options: SessionChoice): string | undefined {
  const goesOn = options.resume !== undefined || options.continue === true
  if (prompt === undefined && !goesOn) return 'Give a prompt, or a session to go on with: --resume <id> or --continue.'
  if (options.fork && !goesOn) return '--fork needs a session to copy: --resume <id> or --continue.'
  if (options.handBack && !goesOn) return '--hand-back needs a session that goes on: --resume <id> or --continue.'
  if (!options.save && goesOn) return '--no-save keeps nothing, so no session can go on with it.'
  return undefined
}

/** What a single prompt and a conversation have in common. */
export interface SessionOptions extends SessionChoice {
  readonly project: string
  readonly model?: string
  readonly trustProject?: boolean
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly maxTurns?: number
  readonly strict?: boolean
  readonly skillCommands?: boolean
}

/** What they say about everything that is loaded. */
export function loadingOf(
  options: SessionOptions,
): Pick<ComposeOptions, 'trustProject' | 'rules' | 'model' | 'strict' | 'skillCommands'> {
  const { trustProject, allow, deny, model, strict, skillCommands } = options
  return {
    trustProject: trustProject === true,
    rules: { allow, deny },
    ...(model === undefined ? {} : { model }),
    strict: strict === true,
    skillCommands: skillCommands === true,
  }
}

/** With a problem there is none that goes on; a new one can be kept all the same. */
export type ChosenSession = { readonly store?: SessionStore } & (
  | { readonly id?: string; readonly problem?: undefined }
  | { readonly id?: undefined; readonly problem: string }
)

/** Where the session is kept, and which one goes on. */
export async function chooseSession(options: SessionChoice, { sessions, project }: Locations): Promise<ChosenSession> {
  if (!options.save) return {}
  const { fileSessionStore } = await import('@ext/agent-core/node')
  const store = fileSessionStore({ folder: sessions })
  if (options.resume === undefined && !options.continue) return { store }
  const found =
    options.resume === undefined ? await newestSession(store, project) : await findSession(store, options.resume)
  if (found.problem !== undefined) return { store, problem: found.problem }
  const problem = elsewhere(found, project)
  return problem === undefined ? { store, id: found.id } : { store, problem }
}

export type OpenedSession =
  | { readonly session: AgentSession; readonly problem?: undefined }
  | { readonly session?: undefined; readonly problem: string }

/** Why a session can't be in a mode that somebody asks for; `undefined` if it can. */
export function modeOff(
  mode: PermissionMode | undefined,
  { bypassOff }: Pick<Extensions['permission'], 'bypassOff'>,
): string | undefined {
  if (mode !== 'bypassPermissions' || !bypassOff) return undefined
  return `The mode bypassPermissions is switched off (${formatPlace(bypassOff)}). Choose another one.`
}

export async function openSession(
  agent: Agent,
  id: string | undefined,
  { permissionMode, fork = false, handBack = false }: SessionChoice,
  { locations: { project }, permission }: Extensions,
): Promise<OpenedSession> {
  const off = modeOff(permissionMode, permission)
  if (off !== undefined) return { problem: off }
  const mode = permissionMode ? { permissionMode } : {}
  if (id === undefined) {
    return { session: agent.session({ cwd: project, permissionMode: permission.defaultMode, ...mode }) }
  }
  try {
    return { session: await agent.resume(id, { cwd: project, fork, handBack, ...mode }) }
  } catch (error) {
    if (!ExtError.isInstance(error)) throw error
    const way = error.code === 'agent-core.session.agent' ? ' Here that is --hand-back.' : ''
    return { problem: `${error.message}${way}` }
  }
}
