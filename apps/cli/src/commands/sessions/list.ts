import type { SessionSummary } from '@ext/agent-core/types'
import type { Io } from '../../io.js'
import { count, oneLine, printable } from '../../render/words.js'
import { openSessions, type SessionsOptions } from './open.js'

export interface ListOptions extends SessionsOptions {
  readonly all?: boolean
  readonly agents?: boolean
  readonly search?: string
  readonly limit?: number
}

/** The sessions of a project, or of all, the newest first. */
export async function list(options: ListOptions, io: Io): Promise<number> {
  const { store, project } = openSessions(options)
  const query = {
    ...(options.all ? {} : { cwd: project }),
    ...(options.agents ? { subAgents: true } : {}),
    ...(options.limit === undefined ? {} : { limit: options.limit }),
  }
  const { search } = options
  const found =
    search === undefined
      ? (await store.list(query)).map((session) => ({ session, excerpt: undefined }))
      : await store.search(search, query)
  if (options.json) {
    const sessions = found.map(({ session, ...match }) => ({ ...session, ...match }))
    io.out(JSON.stringify({ sessions }, null, 2))
    return 0
  }
  for (const { session, excerpt } of found) {
    for (const line of describeSession(session, options.all === true)) io.out(printable(line))
    if (excerpt !== undefined) io.out(printable(`  ${excerpt}`))
  }
  const where = options.all ? '' : ' of this project; --all shows those of others'
  io.out(`${count(found.length, 'session')}${where}`)
  return 0
}

function describeSession(session: SessionSummary, withFolder: boolean): readonly string[] {
  const { id, updatedAt, prompts, turns, title, cwd, problem, parent } = session
  const when = updatedAt.slice(0, 16).replace('T', ' ')
  const counts = `${count(prompts, 'prompt')}, ${count(turns, 'turn')}`
  return [
    `${id}  ${when}  ${counts.padEnd(22)}  ${oneLine(title, 80)}`,
    ...(withFolder ? [`  ${cwd}`] : []),
    ...(parent ? [`  sub-agent ${parent.name} of ${parent.session}`] : []),
    ...(problem === undefined ? [] : [`  ${problem}`]),
  ]
}
