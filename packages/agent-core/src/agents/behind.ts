import type { BackgroundEnd, BackgroundTask, RunTerms } from '@ext/kernel/contract'
import { inProcess } from '../durable.js'
import type { RunContext } from '../run-context.js'
import { outOfTime } from '../signals.js'
import { callLine } from '../tasks/result.js'
import { limitsOf } from '../terms.js'
import { type ChildStart, runChild, whyUnfinished } from './child.js'

/** What a sub-agent in the background is started with; the rest follows from its task. */
export type BehindStart = Pick<
  ChildStart,
  'definition' | 'prompt' | 'conversation' | 'id' | 'toolUseId' | 'agentToolFor' | 'profile'
>

/**
 * Prepares a sub-agent that runs beside the turns of its starter, and beyond the end of their run. It spends from the
 * budget of that run, has its time for itself, and is held by the limits that the run has now, also when they are over.
 */
export function agentBehind(parent: RunContext, start: BehindStart): (task: BackgroundTask) => Promise<BackgroundEnd> {
  const { agent, session } = parent
  const { clock, limits } = agent
  const terms: readonly RunTerms[] = limitsOf(parent)
  return async ({ signal, write, id }) => {
    const controller = new AbortController()
    const follow = () => controller.abort(signal.reason)
    signal.addEventListener('abort', follow, { once: true })
    if (signal.aborted) follow()
    const { maxRunMs } = limits
    const cancel =
      maxRunMs < Number.POSITIVE_INFINITY
        ? clock.after(maxRunMs, () => controller.abort(outOfTime(maxRunMs)))
        : () => {}
    const starter: RunContext = {
      ...parent,
      signal: controller.signal,
      grace: NEVER,
      emit: (type, fields) => {
        if ('tool' in fields && 'input' in fields) write(`${callLine(fields.tool, fields.input)}\n`)
        session.tasks.tell(agent, session, type, fields)
      },
    }
    try {
      const child = await runChild(starter, {
        ...start,
        terms,
        origin: 'agent',
        runId: `${parent.id}:${id}`,
        durable: inProcess(clock, agent.newId),
        path: `${parent.path}${id}/`,
        task: id,
        signal: controller.signal,
      })
      const { reason } = child.end
      if (reason === 'done') return { failed: false, how: 'done', text: child.text }
      return { failed: true, how: whyUnfinished(start.definition.name, child), text: child.text }
    } finally {
      cancel()
      signal.removeEventListener('abort', follow)
    }
  }
}

const NEVER: AbortSignal = new AbortController().signal
