import { ExtError, suggest } from '@ext/kernel'
import { checkLimit } from '../limits.js'
import type { AgentContext, SessionState } from '../run-context.js'
import { createLimit } from '../signals.js'
import type { SessionTasks, TaskInfo } from '../types.js'
import type { Task } from './tasks.js'
import { MOST_SHOWN, STOP_MS } from './tools.js'

/** What a host sees and does of the background of a session. */
export function tasksFor(agent: AgentContext, session: () => SessionState): SessionTasks {
  const { clock } = agent
  const find = (id: string): Task => {
    const { all } = session().tasks
    const task = all.find((each) => each.id === id)
    if (task) return task
    const ids = all.map((each) => each.id)
    const meant = suggest(String(id), ids)
    const known = ids.length === 0 ? 'There are none.' : `There are: ${ids.join(', ')}.`
    const hint = meant === undefined ? known : `Did you mean ${meant}?`
    throw new ExtError('agent-core.task.unknown', `There is no task \`${id}\` in the session. ${hint}`)
  }
  const infoOf = (task: Task): TaskInfo => {
    const { id, kind, subject, state, how, startedMs, endedMs = clock.now(), output, owner } = task
    const { id: agentId, type } = owner.ref.agent ?? {}
    return Object.freeze({
      id,
      kind,
      subject,
      state,
      how,
      startedAt: new Date(startedMs).toISOString(),
      durationMs: endedMs - startedMs,
      characters: output.length,
      ...(agentId === undefined || type === undefined ? {} : { agent: Object.freeze({ id: agentId, type }) }),
    })
  }
  return {
    list: () => session().tasks.all.map(infoOf),
    output(id, { most = MOST_SHOWN } = {}) {
      checkLimit('most', most, 1)
      return find(id).output.last(most)
    },
    async stop(id) {
      const task = find(id)
      if (task.state !== 'running') return infoOf(task)
      task.work.abort('the user has stopped it')
      const { signal } = new AbortController()
      await createLimit(clock, STOP_MS, signal)
        .hold(task.done)
        .catch(() => {})
      return infoOf(task)
    },
  }
}
