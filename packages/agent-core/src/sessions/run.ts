import { keptHolder } from '../agents/handoff/holder.js'
import type { SessionOrigin } from '../open-run.js'
import { sayOnce } from '../prompt.js'
import type { RunContext } from '../run-context.js'
import type { RunResult } from '../run-events.js'
import { statesOf } from './restore.js'

/** Begins to keep a run: in a log of its own if the session is new. */
export async function beginKeeping(run: RunContext, { source }: SessionOrigin, isCompaction: boolean): Promise<void> {
  const { session, emit, id, signal } = run
  const { journal, ref, remarks } = session
  for (const text of remarks.splice(0)) emit('notice', { text })
  if (!journal) return
  journal.listen((text) => emit('notice', { text }))
  await journal.begin(signal)
  if (source === 'resume' && !session.started) {
    journal.write('resume', { cwd: ref.cwd, permissionMode: session.firstMode })
    if (session.holder) journal.write('agent', keptHolder(session))
    if (session.handingOver) journal.write('handoff', session.handingOver)
  }
  for (const lost of session.lostTasks.splice(0)) journal.write('task_end', lost)
  if (!isCompaction) journal.write('run', { run: id })
}

/** A turn is over: what it has brought is to survive. */
export function turnOver(run: RunContext): void {
  const { journal } = run.session
  if (!journal) return
  keepStates(run)
  journal.turnOver()
}

/**
 * The run is over, and its result is told once it is kept. `undefined` where it is not.
 * @param turnsBefore turns that the run had taken when the session was resumed
 */
export function endKeeping(run: RunContext, result: RunResult, turnsBefore: number): Promise<void> | undefined {
  const { session, grace } = run
  const { journal, totals, pending } = session
  const { reason, turns, usage, costUsd } = result
  const cost =
    costUsd === undefined && totals.costUsd === undefined ? {} : { costUsd: (totals.costUsd ?? 0) + (costUsd ?? 0) }
  session.totals = {
    ...totals,
    turns: totals.turns + turns - turnsBefore,
    inputTokens: totals.inputTokens + usage.inputTokens,
    outputTokens: totals.outputTokens + usage.outputTokens,
    ...cost,
  }
  // Aborted before it could bring the turn to its end that it has taken up; the next run does.
  if (!session.open) session.unfinished = undefined
  if (!journal) return undefined
  keepStates(run)
  const used = { ...usage, ...(costUsd === undefined ? {} : { costUsd }) }
  if (!session.open) journal.write('end', { reason, turns, usage: used, pending })
  return journal.settled(grace)
}

/** Writes what extensions keep down if it is other than what the log has. */
function keepStates(run: RunContext): void {
  const { session } = run
  const states = statesOf(session, (text) => sayOnce(run, text))
  const json = JSON.stringify(states)
  if (json === session.keptStates) return
  session.keptStates = json
  session.journal?.write('state', { states })
}
