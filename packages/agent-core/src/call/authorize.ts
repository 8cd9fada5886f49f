import { ExtError, isMap, messageOf } from '@ext/kernel'
import type {
  Authorization,
  AuthorizeOptions,
  Contender,
  JsonValue,
  Opinion,
  PermissionAnswer,
  PermissionQuestion,
} from '@ext/kernel/contract'
import { inProcess } from '../durable.js'
import { attributed, fire, sayBlockIgnored } from '../lifecycle.js'
import { unruled } from '../no-gate.js'
import type { RunContext } from '../run-context.js'
import { createLimit, until } from '../signals.js'
import { startSpan } from '../trace.js'
import { type Attempt, type Ending, failed } from './attempt.js'
import { rewrite, toolPayload } from './prepare.js'

/** Asks the gate. Returns how the call ends if it may not run. */
export async function authorize(run: RunContext, attempt: Attempt, opinion?: Opinion): Promise<Ending | undefined> {
  const span = startSpan(run, 'ext.permission.decide', attempt.span, { 'gen_ai.tool.name': attempt.tool.name })
  let answer: Authorization | undefined
  try {
    answer = await settle(run, attempt, opinion)
  } finally {
    span?.set({ 'ext.permission.decision': answer?.behavior ?? 'none' })
    span?.end()
  }
  attempt.authorization = answer
  attempt.waitMs = answer.waitMs
  run.emit('permission', {
    tool_use_id: attempt.call.id,
    behavior: answer.behavior,
    decidedBy: answer.decision.decidedBy,
    reason: answer.reason,
    answeredBy: answer.answeredBy,
    ...(answer.by === undefined ? {} : { by: answer.by }),
    wait_ms: answer.waitMs,
  })
  for (const notice of answer.notices) run.emit('notice', notice)
  if (answer.behavior !== 'allow') return deny(run, attempt, answer)
  if (attempt.stop) return failed('denied', attributed({ by: attempt.stop.by, text: attempt.stop.reason }))
  const { updatedInput } = answer
  return updatedInput && rewrite(run, attempt, updatedInput, updatedInput.by)
}

/** PermissionDenied: a hook may let the model try again. */
async function deny(run: RunContext, attempt: Attempt, { reason, modelReason }: Authorization): Promise<Ending> {
  const { call, at, span } = attempt
  const result = await fire(run, 'PermissionDenied', () => ({ ...toolPayload(attempt), reason }), {
    signal: run.signal,
    callId: call.id,
    place: at.place,
    span,
  })
  sayBlockIgnored(run, result, 'the call is denied already')
  attempt.stop ??= result.stop
  attempt.told.push(...result.context.map(attributed))
  if (result.retry) attempt.told.push(attributed({ by: result.retry.by, text: 'You may try this call again.' }))
  return failed('denied', modelReason)
}

/**
 * The gate's answer. With a durable run that can wait, a person is asked outside of the step, so that the question
 * survives the process; otherwise the gate asks whoever it knows, as a part of its step.
 */
async function settle(run: RunContext, attempt: Attempt, opinion: Opinion | undefined): Promise<Authorization> {
  const { place } = attempt.at
  const { durable, agent, signal } = run
  const canWait = durable.wait !== undefined
  const first = await durable.step(`gate:${place}`, () =>
    ask(run, attempt, {
      ...(opinion ? { opinion } : {}),
      contenders: run.session.interceptor ? [hookContender(run, attempt)] : [],
      ...(canWait ? { defer: true } : { onQuestion: (question) => tellQuestion(run, attempt, question) }),
    }),
  )
  if (first.answeredBy !== 'deferred' || !durable.wait) return first

  tellQuestion(run, attempt, first)
  const asked = agent.clock.now()
  const timeoutMs = agent.limits.gateTimeoutMs
  const answer = readAnswer(await until(signal, durable.wait(`approval:${place}`, { timeoutMs, signal })))
  const waitMs = agent.clock.now() - asked
  if (!answer) {
    const modelReason = `${attempt.tool.name} was not permitted: nobody answered. Do without it.`
    return { ...first, answeredBy: 'timeout', reason: 'Nobody answered in time.', modelReason, waitMs }
  }
  const final = await durable.step(`gate:${place}:answer`, () =>
    ask(run, attempt, { ...(opinion ? { opinion } : {}), answer }),
  )
  return { ...final, waitMs }
}

/** Never rejects but for an abort: a gate that fails, or gives no answer, has said no. */
async function ask(run: RunContext, attempt: Attempt, options: AuthorizeOptions): Promise<Authorization> {
  const { call, tool } = attempt
  const { clock, limits } = run.agent
  const limit = createLimit(clock, limits.gateTimeoutMs, run.signal)
  const asked = clock.now()
  const how: AuthorizeOptions = {
    ...options,
    get signal() {
      return limit.signal
    },
  }
  try {
    const answer = await limit.hold(run.session.gate.authorize({ call, tool }, how))
    if (!answer?.decision) throw new ExtError('agent-core.gate.answer', 'it gave no decision')
    return answer
  } catch (error) {
    if (run.signal.aborted) {
      attempt.waitMs = clock.now() - asked
      throw error
    }
    const reason = `${tool.name} does not run: the permission check failed: ${messageOf(error)}`
    run.emit('notice', { text: reason })
    return unruled('deny', reason, `${tool.name} was not permitted: the permission check failed. Do without it.`)
  }
}

/** Lets the hooks of PermissionRequest answer. It is a part of the gate's step. */
function hookContender(run: RunContext, attempt: Attempt): Contender {
  const inStep = { ...run, durable: inProcess(run.agent.clock, run.agent.newId) }
  const { call, at, span } = attempt
  return {
    name: 'hooks',
    kind: 'automation',
    async answer({ decision, call: asked }, { signal }) {
      const payload = () => ({
        ...toolPayload({ ...attempt, call: asked }),
        reason: decision.reason,
        suggestions: decision.suggestions ?? [],
      })
      const result = await fire(inStep, 'PermissionRequest', payload, {
        signal,
        callId: call.id,
        place: at.place,
        span,
      })
      attempt.told.push(...result.context.map(attributed))
      attempt.stop ??= result.stop
      const no = result.block ?? result.stop
      if (no) return { behavior: 'deny', reason: attributed({ by: no.by, text: no.reason }) }
      if (!result.answer) return undefined
      const { by, ...answer } = result.answer
      return { ...answer, reason: attributed({ by, text: answer.reason ?? `It says ${answer.behavior}.` }) }
    },
  }
}

/** A question is open: the user sees it, and hooks may fetch somebody. Nobody waits for those. */
function tellQuestion(
  run: RunContext,
  { call, at, tool }: Attempt,
  { decision }: Pick<PermissionQuestion, 'decision'>,
): void {
  const { reason, suggestions = [] } = decision
  run.emit('question', { tool_use_id: call.id, reason, suggestions })
  const notification = { notification_type: 'permission_prompt', message: reason, title: tool.name } as const
  const inStep = { ...run, durable: inProcess(run.agent.clock, run.agent.newId) }
  const told = fire(inStep, 'Notification', () => notification, {
    signal: run.signal,
    place: at.place,
    callId: call.id,
  })
  run.background.add(told.then((result) => sayBlockIgnored(run, result, 'it only tells')).catch(() => {}))
}

/** The answer comes from elsewhere, so it can be anything. What is none is a no. */
function readAnswer(value: JsonValue | undefined): PermissionAnswer | undefined {
  if (value === undefined) return undefined
  if (!isMap(value)) return { behavior: 'deny', reason: 'The answer could not be read.' }
  const { behavior, reason, updatedInput, rules } = value
  if (behavior !== 'allow' && behavior !== 'deny') return { behavior: 'deny', reason: 'The answer could not be read.' }
  return {
    behavior,
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(isMap(updatedInput) ? { updatedInput: updatedInput as NonNullable<PermissionAnswer['updatedInput']> } : {}),
    ...(Array.isArray(rules) && rules.every((rule) => typeof rule === 'string') ? { rules } : {}),
  }
}
