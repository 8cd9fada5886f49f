import { foldName } from '../agents/names.js'
import type { AgentContext, SessionState } from '../run-context.js'
import { tailOf } from '../tasks/output.js'
import { callLine, TOLD } from '../tasks/result.js'
import { readChildLog } from './child-log.js'
import { readKept } from './restore.js'
import type { KeptTask, Restored } from './restored.js'
import type { KeptSession } from './store.js'

/** Something that was in the background when its process ended, and what there is to say about it. */
export interface LostTask {
  readonly id: string
  /** For the model. */
  readonly text: string
  /** For the user. */
  readonly remark: string
}

const LOOK_FIRST = 'What it did may have taken effect; look before you start it again.'

/**
 * What became of the tasks that a log leaves open. None is begun again: what it did would be done twice. Of a sub-agent its
 * own log says how far it came. Never rejects.
 * @param log id of the log that leaves them open
 */
export function lostTasks(agent: AgentContext, log: string, { tasks }: Restored): Promise<readonly LostTask[]> {
  return Promise.all([...tasks].map(([id, task]) => lostTask(agent, log, id, task)))
}

/** The model is told with its next message, and the user with the next run. Ids go on behind those that were given. */
export function giveUpTasks(state: SessionState, { lastTask }: Restored, lost: readonly LostTask[]): void {
  state.tasks.goOnFrom(lastTask)
  for (const { id, text, remark } of lost) {
    state.pending.push({ by: id, text, task: id })
    state.lostTasks.push({ task: id, text })
    state.remarks.push(remark)
  }
}

/** The conversation of a copy says that its model is told of their end, which the other session alone hears of. */
export function leaveTasks(
  { pending, lostTasks }: SessionState,
  from: string,
  tasks: readonly { readonly id: string; readonly subject: string }[],
): void {
  for (const { id, subject } of tasks) {
    const text = `[${id} is left to the session ${from}, of which this conversation is a copy: you are not told how it ends] ${subject}`
    pending.push({ by: id, text, task: id })
    lostTasks.push({ task: id, text })
  }
}

async function lostTask(agent: AgentContext, starter: string, id: string, task: KeptTask): Promise<LostTask> {
  const { subject, child } = task
  const cut = `[${id} cancelled: the program was ended while it ran] ${subject}`
  const running = `${id} (${subject}) was still running when the program was ended, and`
  if (!child) return { id, text: `${cut}\n${LOOK_FIRST}`, remark: `${running} ended with it.` }
  const where = `The log of the sub-agent is ${child.log}.`
  const { kept, problem } = await readChildLog(agent.store, child.log, { session: starter, task: id })
  if (!kept) {
    const why = `How far it came is not known: ${problem}`
    return { id, text: `${cut}\n${why} ${LOOK_FIRST} ${where}`, remark: `${running} ended with it. ${why} ${where}` }
  }
  const { restored } = readKept(kept)
  if (restored.ended !== undefined) return ended(agent, id, subject, restored, where)
  const { turns, lines } = progressOf(kept, restored)
  const isKnown = agent.agents.has(foldName(child.name))
  const again = isKnown
    ? `To have the rest done, start ${child.name} again with the tool \`agent\`, and say what is done.`
    : `There is no sub-agent ${child.name} any more that could be started again.`
  const said = lastWords(restored)
  const text = [
    cut,
    `It was cut off after ${turns}, is not finished, and does not go on by itself.`,
    ...lines,
    `Look first at what may have taken effect. ${again} ${where}`,
    ...(said === '' ? [] : [`It said last: ${said}`]),
  ].join('\n')
  const remark = [`${running} was cut off after ${turns}. It does not go on by itself.`, ...lines, where].join(' ')
  return { id, text, remark }
}

/** One that had come to its end, of which its starter alone had not heard. */
function ended(agent: AgentContext, id: string, subject: string, restored: Restored, where: string): LostTask {
  const how = restored.ended
  const unheard = agent.interceptor ? ' Whether hooks of TaskCompleted let it pass is not known.' : ''
  const head = `[${id} ended: ${how}; the program was ended before you were told.${unheard}] ${subject}`
  const remark = `${id} (${subject}) had come to its end (${how}) when the program was ended. The model is told now.${unheard} ${where}`
  return { id, text: `${head}\n${lastWords(restored)}`, remark }
}

/** How far a sub-agent came, in sentences. */
function progressOf(
  { events }: KeptSession,
  { open, tasks, totals }: Restored,
): { readonly turns: string; readonly lines: readonly string[] } {
  const done = new Set(events.flatMap((event) => (event.type === 'result' ? [event.result.name] : [])))
  const rest = open?.calls.filter(({ id }) => !open.results.has(id)) ?? []
  const begun = rest.filter(({ id }) => open?.started.has(id))
  const others = rest.filter((call) => !begun.includes(call))
  const behind = [...tasks].map(([id, { subject }]) => `${id} (${subject})`)
  const list = (intro: string, all: readonly string[]) => (all.length === 0 ? [] : [`${intro}: ${all.join(', ')}.`])
  const calls = (all: typeof rest) => all.map(({ name, input }) => callLine(name, input))
  return {
    turns: totals.turns === 1 ? '1 turn' : `${totals.turns} turns`,
    lines: [
      ...(done.size === 0 ? ['No call of it has a result.'] : list('There are results of', [...done])),
      ...list('Under way, so that it may have taken effect', calls(begun)),
      ...list('Without a result, and without effect', calls(others)),
      ...list('In its own background, and ended with it', behind),
    ],
  }
}

/** What it said last, if it was not before its order. */
function lastWords({ messages, promptAt, totals }: Restored): string {
  const own = totals.prompts === 0 ? [] : messages.slice(promptAt)
  const texts = own.map((message) => (message.role === 'assistant' ? message.text.trim() : ''))
  return tailOf(texts.findLast((text) => text !== '') ?? '', TOLD)
}
