import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { SessionStore, SessionSummary } from '@ext/agent-core/types'
import { count, oneLine } from './render/words.js'

/** How many sessions a beginning of an id is compared with, the newest first. */
const MAX_SESSIONS = 1000

/** A session that somebody means, or why there is none, with a way out. */
export type FoundSession =
  | { readonly id: string; readonly cwd: string; readonly problem?: undefined }
  | { readonly id?: undefined; readonly problem: string }

/** Finds a session by its id, or by the beginning of one that is like no other. */
export async function findSession(store: SessionStore, wanted: string): Promise<FoundSession> {
  const sessions = await store.list({ limit: MAX_SESSIONS })
  const exact = sessions.find(({ id }) => id === wanted)
  const fitting = exact ? [exact] : sessions.filter(({ id }) => id.startsWith(wanted))
  const [found, ...others] = wanted === '' ? [] : fitting
  if (!found) return { problem: `There is no session \`${oneLine(wanted)}\`. See ext sessions list --all.` }
  if (others.length === 0) return resumable(found)
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
