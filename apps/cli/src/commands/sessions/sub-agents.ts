import type { KeptSession, SessionStore } from '@ext/agent-core/types'
import { messageOf } from '@ext/kernel'

/** A session with the sub-agents that have logs of their own. */
export interface WholeSession extends KeptSession {
  /** By the ids of their logs. */
  readonly agents: ReadonlyMap<string, SubAgentLog>
}

export type SubAgentLog =
  | { readonly session: WholeSession; readonly problem?: undefined }
  | { readonly session?: undefined; readonly problem: string }

/** Reads the logs of all sub-agents below a session. One that can't be read costs itself only. */
export async function withSubAgents(store: SessionStore, session: KeptSession): Promise<WholeSession> {
  const agents = new Map<string, SubAgentLog>()
  for (const event of session.events) {
    if (event.type === 'sub_agent') agents.set(event.log, await readOne(store, event.log, session.header.id))
  }
  return { ...session, agents }
}

/** Each log has one parent, so no log that is damaged or made up can lead back to itself. */
async function readOne(store: SessionStore, log: string, parent: string): Promise<SubAgentLog> {
  try {
    const session = await store.read(log)
    if (session.header.parent?.session !== parent) return { problem: `${log} is not the log of a sub-agent of it.` }
    return { session: await withSubAgents(store, session) }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}
