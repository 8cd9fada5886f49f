import { ExtError, isMap, messageOf } from '@ext/kernel'
import type {
  BackgroundEnd,
  BackgroundStart,
  BackgroundWork,
  EventResult,
  TaskEventPayload,
  TaskState,
} from '@ext/kernel/contract'
import { inProcess } from '../durable.js'
import { attributed, type Firing, fire } from '../lifecycle.js'
import type { RunContext } from '../run-context.js'
import { TOLD } from './result.js'
import type { Task } from './tasks.js'

type EndState = Exclude<TaskState, 'running'>

/**
 * Starts work in the background of the session, unless the limit or a hook of TaskCreated says no.
 * @param onStop hears that a hook wants the run to end
 */
export async function startTask(
  run: RunContext,
  work: BackgroundWork,
  callId: string,
  onStop: (stop: NonNullable<EventResult['stop']>) => void,
): Promise<BackgroundStart> {
  const { tasks } = run.session
  const { maxTasks } = run.agent.limits
  if (typeof work?.run !== 'function' || typeof work.subject !== 'string') {
    return { problem: 'The tool gave no work with a `subject` and a function `run`.' }
  }
  if (tasks.closed) return { problem: 'The session has ended, and so has all that ran in its background.' }
  if (tasks.running.length >= maxTasks) {
    return { problem: `${maxTasks} tasks run in the background at most. Wait for one to end, or stop one.` }
  }
  const task = tasks.add(run, work)
  let created: EventResult
  try {
    // Whoever hears of it hears of an id that no process gives to another one.
    const kept = tasks.idsKept(run.signal)
    if (kept) await kept
    created = await fire(run, 'TaskCreated', () => payloadOf(task), { signal: run.signal, place: task.id, callId })
  } catch (error) {
    tasks.remove(task)
    throw error
  }
  if (created.stop) onStop(created.stop)
  const no = created.block ?? created.stop
  if (no || tasks.closed) {
    tasks.remove(task)
    return { problem: no ? attributed({ by: no.by, text: no.reason }) : 'The session has ended.' }
  }
  run.session.journal?.write('task', { task: task.id, subject: task.subject })
  run.emit('task_start', { task_id: task.id, kind: task.kind, subject: task.subject, tool_use_id: callId })
  task.done = conduct(run, task, work)
  return { id: task.id }
}

/** Never rejects. */
async function conduct(run: RunContext, task: Task, work: BackgroundWork): Promise<void> {
  const { signal } = task.work
  let end: BackgroundEnd
  try {
    end = checked(await work.run({ id: task.id, signal, write: (text) => task.output.write(String(text)) }))
  } catch (error) {
    end = { failed: true, how: messageOf(error) }
  }
  if (end.text !== undefined) task.output.write(end.text)
  task.output.close()
  const state: EndState = signal.aborted ? 'cancelled' : end.failed ? 'failed' : 'completed'
  const how = signal.aborted ? messageOf(signal.reason) : end.how
  const told = await tellCompleted(run, task, state)
  const no = told?.block ?? told?.stop
  settle(
    run,
    task,
    no && state === 'completed' ? 'failed' : state,
    no ? attributed({ by: no.by, text: no.reason }) : how,
  )
}

/** A tool written in plain JavaScript can give anything. */
function checked(end: BackgroundEnd): BackgroundEnd {
  const isEnd = isMap(end) && typeof end['failed'] === 'boolean' && typeof end['how'] === 'string'
  if (isEnd && (end.text === undefined || typeof end.text === 'string')) return end
  throw new ExtError('agent-core.task.end', 'it gave no end with `failed` and `how`')
}

/** From here on it has ended for everybody: in one step. */
function settle({ agent, session }: RunContext, task: Task, state: EndState, how: string): void {
  task.state = state
  task.how = how
  task.endedMs = agent.clock.now()
  session.tasks.tell(agent, session, 'task_end', {
    task_id: task.id,
    kind: task.kind,
    subject: task.subject,
    state,
    how,
    duration_ms: task.endedMs - task.startedMs,
  })
  const output = task.output.unseen(TOLD)
  const text = `[${task.id} ${state}: ${how}] ${task.subject}${output === '' ? '' : `\n${output}`}`
  session.journal?.write('task_end', { task: task.id, text })
  session.pending.push({ by: task.id, text, task: task.id })
}

/** TaskCompleted. There may be no run any more, and one that is under way is not held up. */
async function tellCompleted(run: RunContext, task: Task, state: EndState): Promise<EventResult | undefined> {
  const { agent, session } = run
  const firing: Firing = {
    ...run,
    durable: inProcess(agent.clock, agent.newId),
    emit: (type, fields) => session.tasks.tell(agent, session, type, fields),
  }
  const { signal } = task.hooks
  try {
    const payload = { ...payloadOf(task), task_state: state }
    return await fire(firing, 'TaskCompleted', () => payload, { signal, place: task.id, inAnyCase: true })
  } catch {
    firing.emit('notice', { text: `TaskCompleted: the hooks were ended with the session before they were done.` })
    return undefined
  }
}

function payloadOf({ id, subject, kind }: Task): TaskEventPayload {
  return { task_id: id, task_subject: subject, task_kind: kind }
}
