import { ExtError } from '@ext/kernel'
import type { Firing } from '../lifecycle.js'
import type { RunContext } from '../run-context.js'
import { createLimit } from '../signals.js'
import type { Task } from './tasks.js'

/** Commands get a second between TERM and KILL; work that can't be ended at all keeps nobody. */
const END_MS = 5000

/** Stops tasks, and says which. Waits until they have ended, or not at all once `signal` has aborted. */
async function stopTasks(
  tasks: readonly Task[],
  why: string,
  { emit, agent }: Pick<Firing, 'emit' | 'agent'>,
  signal: AbortSignal,
): Promise<void> {
  const running = tasks.filter(({ state }) => state === 'running')
  for (const { id, subject, work } of running) {
    emit('notice', { text: `${id} (${subject}) was still running and is stopped: ${why}.` })
    work.abort(new ExtError('agent-core.task.ended', why))
  }
  if (running.length === 0) return
  const all = Promise.all(running.map(({ done }) => done))
  await createLimit(agent.clock, END_MS, signal)
    .hold(all)
    .catch(() => {})
  if (signal.aborted) return
  for (const { id, hooks, state } of running) {
    hooks.abort(new ExtError('agent-core.task.ended', why))
    if (state === 'running') emit('notice', { text: `${id} did not end within ${END_MS / 1000} s.` })
  }
}

/** What a sub-agent has started in the background ends with it. */
export async function endOwnTasks(run: RunContext): Promise<void> {
  const { session, signal } = run
  await stopTasks(session.tasks.of(session), 'the sub-agent that has started it is done', run, signal)
}

/** Nothing of a session goes on after its end, and nothing that was done is lost without a word. */
export async function endAllTasks(run: Firing): Promise<void> {
  const { session } = run
  const { tasks } = session
  tasks.catchUp(run.emit)
  await stopTasks(tasks.running, 'the session has ended', run, new AbortController().signal)
  tasks.catchUp(run.emit)
  tasks.closed = true
  const stopped = new Set(tasks.of(session).flatMap(({ id, state }) => (state === 'cancelled' ? [id] : [])))
  for (const { task } of session.pending) {
    if (task === undefined || stopped.has(task)) continue
    run.emit('notice', { text: `${task} has ended, and the session ended before the model was told.` })
  }
}
