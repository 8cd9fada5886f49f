import { ExtError, messageOf } from '@ext/kernel'
import type { Tool, ToolContext, ToolResult } from '@ext/kernel/contract'
import { frozenCopy, receive } from '../json.js'
import { isBlock } from '../messages.js'
import type { RunContext } from '../run-context.js'
import { createLimit, OverTime } from '../signals.js'
import { claimUnclaimed, type Spent, spend } from '../spending.js'
import { startTask } from '../tasks/start.js'
import { termsOf } from '../terms.js'
import { type Attempt, type Ending, failed } from './attempt.js'
import { textOf } from './content.js'

/** A tool of the loop itself that takes steps of its own, and has limits of its own. */
export interface SteppingTool extends Tool {
  readonly takesSteps: true
}

interface Execution {
  readonly ending: Ending
  readonly durationMs: number
  /** What the model has used meanwhile for whoever asked it, such as the server of the tool. */
  readonly spent?: Spent
}

/** Runs the tool, as one step, under the run's abort and its own time limit. Rejects only when the step does. */
export async function execute(run: RunContext, attempt: Attempt): Promise<Ending> {
  if (run.signal.aborted) return aborted(attempt)
  await noteStart(run, attempt)
  if (run.signal.aborted) return aborted(attempt)
  attempt.executed = true
  const work = () => runTool(run, attempt)
  const stepping = 'takesSteps' in attempt.tool
  let live = stepping
  const { ending, durationMs, spent }: Execution = stepping
    ? await work()
    : await run.durable.step(`tool:${attempt.at.place}`, async () => {
        live = true
        return { ...(await work()), ...claimUnclaimed(run.unclaimed) }
      })
  if (spent && !live) spend(run.spent, spent)
  attempt.durationMs = durationMs
  return live ? ending : frozenCopy(ending)
}

/** From here on a call may have taken effect, whatever becomes of this process. One that only reads can be done again. */
async function noteStart({ session: { journal }, signal }: RunContext, { tool, call }: Attempt): Promise<void> {
  if (!journal || (tool.annotations.readOnly && tool.source.trusted)) return
  journal.write('start', { call: call.id })
  const reached = journal.reached(signal)
  if (reached) await reached
}

async function runTool(run: RunContext, attempt: Attempt): Promise<Execution> {
  const { tool, call, at, executed } = attempt
  const { clock, limits } = run.agent
  const timeoutMs = tool.timeoutMs ?? limits.toolTimeoutMs
  const limit = createLimit(clock, timeoutMs, run.signal)
  const started = clock.now()
  let running = true
  const end = (ending: Ending): Execution => ({ ending, durationMs: clock.now() - started })
  try {
    const terms = termsOf(run)
    const context: ToolContext = {
      get signal() {
        return limit.signal
      },
      session: run.session.ref,
      get trace() {
        return attempt.span?.trace
      },
      callId: call.id,
      idempotencyKey: at.idempotencyKey,
      ...(terms.length > 0 ? { terms } : {}),
      ...(run.taskTools.length > 0 ? { background: backgroundFor(run, attempt) } : {}),
      progress: ({ progress, total, message }) =>
        running &&
        run.emit('progress', {
          tool_use_id: call.id,
          progress,
          ...(total === undefined ? {} : { total }),
          ...(message === undefined ? {} : { message }),
        }),
      report: (text) => running && run.emit('notice', { by: tool.name, text }),
    }
    const work = tool.run(call.input, context)
    // One that takes steps ends in time by itself, and what it has to say about its end comes before this call's end.
    const result = checked(await ('takesSteps' in tool ? work : limit.hold(work)))
    if ('takesSteps' in tool && run.signal.aborted) return end(aborted({ tool, executed }))
    return end(result.isError ? failed('remote', textOf(result.content), result) : { result })
  } catch (error) {
    if (run.signal.aborted) return end(aborted({ tool, executed }))
    if (error instanceof OverTime) {
      return end(failed('timeout', `${tool.name} was ended: it ran longer than ${timeoutMs} ms.`))
    }
    return end(failed('crashed', `${tool.name} crashed: ${messageOf(error)}`))
  } finally {
    running = false
  }
}

/** A hook that wants the run to end when something begins in the background ends it after the call. */
function backgroundFor(run: RunContext, attempt: Attempt): NonNullable<ToolContext['background']> {
  return (work) =>
    startTask(run, work, attempt.call.id, (stop) => {
      attempt.stop ??= stop
    })
}

export function aborted({ tool, executed }: Pick<Attempt, 'tool' | 'executed'>): Ending {
  return failed('aborted', `The run was aborted ${executed ? 'while' : 'before'} ${tool.name} ran.`)
}

/** A tool written in plain JavaScript can return anything. */
function checked(result: ToolResult | undefined): ToolResult {
  if (!Array.isArray(result?.content) || !result.content.every(isBlock)) {
    throw new ExtError('agent-core.tool.result', 'it gave no result with a list of content blocks')
  }
  const { value, problem } = receive(result)
  if (problem !== undefined) throw new ExtError('agent-core.tool.result', `it gave a result that ${problem}`)
  return value as unknown as ToolResult
}
