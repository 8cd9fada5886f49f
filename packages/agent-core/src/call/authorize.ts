import { ExtError, messageOf } from '@ext/kernel'
import type { Authorization, Opinion } from '@ext/kernel/contract'
import { unruled } from '../no-gate.js'
import type { RunContext } from '../run-context.js'
import { until } from '../signals.js'
import { type Attempt, type Ending, failed } from './attempt.js'

/** Asks the gate. Returns how the call ends if it may not run. */
export async function authorize(run: RunContext, attempt: Attempt, opinion?: Opinion): Promise<Ending | undefined> {
  const { behavior, decision, answeredBy, reason, modelReason, waitMs, notices } = await ask(run, attempt, opinion)
  attempt.waitMs = waitMs
  run.emit('permission', {
    tool_use_id: attempt.call.id,
    behavior,
    decidedBy: decision.decidedBy,
    reason,
    answeredBy,
    wait_ms: waitMs,
  })
  for (const notice of notices) run.emit('notice', notice)
  return behavior === 'allow' ? undefined : failed('denied', modelReason)
}

async function ask(run: RunContext, attempt: Attempt, opinion?: Opinion): Promise<Authorization> {
  const { call, tool } = attempt
  const { signal } = run
  const asked = run.agent.clock.now()
  try {
    const options = opinion === undefined ? { signal } : { opinion, signal }
    const answer = await until(signal, run.session.gate.authorize({ call, tool }, options))
    if (!answer?.decision) throw new ExtError('agent-core.gate.answer', 'it gave no decision')
    return answer
  } catch (error) {
    if (signal.aborted) {
      attempt.waitMs = run.agent.clock.now() - asked
      throw error
    }
    const reason = `${tool.name} does not run: the permission check failed: ${messageOf(error)}`
    run.emit('notice', { text: reason })
    return unruled('deny', reason, `${tool.name} was not permitted: the permission check failed. Do without it.`)
  }
}
