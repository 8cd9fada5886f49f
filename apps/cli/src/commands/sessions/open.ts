import { fileSessionStore } from '@ext/agent-core/node'
import type { SessionStore } from '@ext/agent-core/types'
import { ExtError } from '@ext/kernel'
import { nodePorts } from '@ext/kernel/node'
import type { Io } from '../../io.js'
import { locate } from '../../locations.js'
import { printable } from '../../render/words.js'
import { findSession } from '../../sessions.js'
import { type WholeSession, withSubAgents } from './sub-agents.js'

export interface SessionsOptions {
  readonly project: string
  readonly json?: boolean
}

/** The sessions of this person. Nothing else of the project is read. */
export function openSessions({ project }: Pick<SessionsOptions, 'project'>): {
  readonly store: SessionStore
  readonly project: string
} {
  const { env, home } = nodePorts(process.env)
  const locations = locate(project, env, home)
  return { store: fileSessionStore({ folder: locations.sessions }), project: locations.project }
}

/** Reads one session, or the log of a sub-agent, or says why not: then there is none. */
export async function readSession(wanted: string, options: SessionsOptions, io: Io): Promise<WholeSession | undefined> {
  const { store } = openSessions(options)
  const found = await findSession(store, wanted, { subAgents: true })
  if (found.problem !== undefined) {
    io.err(`ext: ${printable(found.problem)}`)
    return undefined
  }
  try {
    return await withSubAgents(store, await store.read(found.id))
  } catch (error) {
    if (!ExtError.isInstance(error)) throw error
    io.err(`ext: ${printable(error.message)}`)
    return undefined
  }
}
