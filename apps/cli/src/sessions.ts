import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { SessionQuery, SessionStore, SessionSummary } from '@ext/agent-core/types'
import { ExtError } from '@ext/kernel'
import { count, oneLine } from './render/words.js'

/** How many sessions a beginning of an id is compared with, the newest first. */
const MAX_SESSIONS = 1000

/** A session that somebody means, or why there is none, with a way out. */
export type FoundSession =
  | { readonly id: string; readonly cwd: string; readonly problem?: undefined }
  | { readonly id?: undefined; readonly problem: string }

/**
 * Finds a session by its id, or by the beginning of one that is like no other.
 * @param options.subAgents or the log of a sub-agent
 */
export async function findSession(
  store: SessionStore,
  wanted: string,
  { subAgents = false }: Pick<SessionQuery, 'subAgents'> = {},
): Promise<FoundSession> {
  const fitting = fittingOf(await store.list({ limit: MAX_SESSIONS }), wanted)
  if (fitting.length > 0) return onlyOne(fitting, wanted)
  const logs = fittingOf(await store.list({ limit: MAX_SESSIONS, subAgents: true }), wanted)
  const [{ id, parent } = {}] = logs
  if (id === undefined) {
    const why = await unreadable(store, wanted)
    return { problem: why ?? `There is no session \`${oneLine(wanted)}\`. See ext sessions list --all.` }
  }
  if (subAgents || !parent) return onlyOne(logs, wanted)
  return { problem: `${id} is the log of the sub-agent ${parent.name}. Go on with its session: ${parent.session}.` }
}

/** Why a log of this very id is in no list, if there is one. */
async function unreadable(store: SessionStore, id: string): Promise<string | undefined> {
  try {
    await store.read(id)
    return undefined
  } catch (error) {
    if (!ExtError.isInstance(error) || error.code === 'agent-core.session.unknown') return undefined
    return oneLine(error.message, 1000)
  }
}

function fittingOf(sessions: readonly SessionSummary[], wanted: string): readonly SessionSummary[] {
  if (wanted === '') return []
  const exact = sessions.find(({ id }) => id === wanted)
  return exact ? [exact] : sessions.filter(({ id }) => id.startsWith(wanted))
}

function onlyOne(fitting: readonly SessionSummary[], wanted: string): FoundSession {
  const [found] = fitting
  if (found && fitting.length === 1) return resumable(found)
  const ids = fitting.slice(0, 5).map(({ id }) => id)
  return {
    problem: `${count(fitting.length, 'session')} begin with \`${wanted}\`: ${ids.join(', ')}. Write more of it.`,
  }
}

/** The session of a project that was written last. */
export async function newestSession(store: SessionStore, project: string): Promise<FoundSession> {
  const [found] = await store.list({ cwd: project, limit: 1 })
  return found
    ? resumable(found)
    : { problem: 'There is no session of this project yet, so there is none to continue.' }
}

function resumable({ id, cwd, problem }: SessionSummary): FoundSession {
  return problem === undefined ? { id, cwd } : { problem: `The session ${id} can’t be used. ${problem}` }
}

/** Rules, hooks and servers are those of the project, so a session goes on only where it was. */
export function elsewhere(
  { id, cwd }: { readonly id: string; readonly cwd: string },
  project: string,
): string | undefined {
  if (realPath(cwd) === realPath(project)) return undefined
  return `The session ${id} is one of ${cwd}. Go on with it there: --project '${cwd}'.`
}

function realPath(path: string): string {
  try {
    return realpathSync(resolve(path))
  } catch {
    return resolve(path)
  }
}
