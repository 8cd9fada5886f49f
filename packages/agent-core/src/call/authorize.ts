import { ExtError, isMap, messageOf } from '@ext/kernel'
import type {
  Authorization,
  AuthorizeOptions,
  Contender,
  Decision,
  EventResult,
  JsonValue,
  Opinion,
  PermissionAnswer,
} from '@ext/kernel/contract'
import { inProcess } from '../durable.js'
import { addHelper } from '../helpers.js'
import { attributed, fire, report, sayBlockIgnored } from '../lifecycle.js'
import { unruled } from '../no-gate.js'
import type { RunContext } from '../run-context.js'
import { createLimit } from '../signals.js'
import { termsOf } from '../terms.js'
import { startSpan } from '../trace.js'
import { type Attempt, type Ending, failed } from './attempt.js'
import { notify } from './notify.js'
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
  for (const { by, text } of answer.notices) run.emit('notice', { by, text })
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

/** What the gate's step remembers: its answer, and what hooks said while it was asked. */
interface Asked {
  readonly answer: Authorization
  readonly hooks: readonly EventResult[]
}

/**
 * The gate's answer. With a durable run that can wait, a person is asked outside of the step, so that the question
 * survives the process; otherwise the gate asks whoever it knows, as a part of its step.
 */
async function settle(run: RunContext, attempt: Attempt, opinion: Opinion | undefined): Promise<Authorization> {
  const { place } = attempt.at
  const { durable, agent, signal } = run
  const base: AuthorizeOptions = opinion ? { opinion } : {}
  const first = await askInStep(run, attempt, `gate:${place}`, base)
  if (first.answeredBy !== 'deferred' || !durable.wait) return first

  const topic = `approval:${place}`
  run.emit('question', { ...questionOf(attempt, first.decision), topic: `${run.path}${topic}` })
  await notify(run, attempt, first.decision).done
  const asked = await durable.now()
  const answer = readAnswer(await durable.wait(topic, { timeoutMs: agent.limits.gateTimeoutMs, signal }))
  const waitMs = (await durable.now()) - asked
  if (!answer) {
    const modelReason = `${attempt.tool.name} was not permitted: nobody answered. Do without it.`
    return { ...first, answeredBy: 'timeout', reason: 'Nobody answered in time.', modelReason, waitMs }
  }
  const final = await askInStep(run, attempt, `gate:${place}:answer`, { ...base, answer })
  return { ...final, waitMs, notices: [...first.notices, ...final.notices] }
}

async function askInStep(
  run: RunContext,
  attempt: Attempt,
  step: string,
  options: AuthorizeOptions,
): Promise<Authorization> {
  let live = false
  const { answer, hooks } = await run.durable.step(step, () => {
    live = true
    return ask(run, attempt, options)
  })
  for (const result of hooks) {
    if (!live) report(run, 'PermissionRequest', result, attempt.call.id)
    attempt.told.push(...result.context.map(attributed))
    attempt.stop ??= result.stop
  }
  return answer
}

/** Never rejects but for an abort: a gate that fails, or gives no answer, has said no. */
async function ask(run: RunContext, attempt: Attempt, options: AuthorizeOptions): Promise<Asked> {
  const { call, tool } = attempt
  const { clock, limits } = run.agent
  const limit = createLimit(clock, limits.gateTimeoutMs, run.signal)
  const question = openQuestion(run, attempt)
  const started = clock.now()
  try {
    const terms = termsOf(run)
    const answer = await limit.hold(
      run.session.gate.authorize(
        { call, tool },
        {
          ...options,
          ...(terms.length > 0 ? { terms } : {}),
          ...(run.session.interceptor && !options.answer ? { contenders: [question.contender] } : {}),
          ...(run.durable.wait ? { defer: true } : { onQuestion: ({ decision }) => question.show(decision) }),
          get signal() {
            return limit.signal
          },
        },
      ),
    )
    if (!answer?.decision) throw new ExtError('agent-core.gate.answer', 'it gave no decision')
    if (run.durable.remembers) JSON.stringify(answer)
    return { answer: whole(answer, tool.name), hooks: question.close() }
  } catch (error) {
    const hooks = question.close()
    if (run.signal.aborted) {
      attempt.waitMs = clock.now() - started
      throw run.signal.reason
    }
    const reason = `${tool.name} does not run: the permission check failed: ${messageOf(error)}`
    run.emit('notice', { text: reason })
    const why = `${tool.name} was not permitted: the permission check failed. Do without it.`
    return { answer: unruled('deny', reason, why), hooks }
  }
}

/** A gate in plain JavaScript may leave out what it has nothing to say about. */
function whole(answer: Authorization, tool: string): Authorization {
  const { notices = [], waitMs = 0, reason = 'The gate gave no reason.', modelReason } = answer
  return { ...answer, notices, waitMs, reason, modelReason: modelReason ?? `${tool} was not permitted. Do without it.` }
}

/** A question while it is open: hooks may answer it, and be told that a person is asked. Both are parts of the gate's step. */
function openQuestion(run: RunContext, attempt: Attempt) {
  const { call, at, span } = attempt
  let open = true
  const inStep: RunContext = {
    ...run,
    durable: inProcess(run.agent.clock, run.agent.newId),
    emit: (type, fields) => open && run.emit(type, fields),
  }
  const hooks: EventResult[] = []
  let shown = false
  const contender: Contender = {
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
      if (!open) return undefined
      hooks.push(result)
      const no = result.block ?? result.stop
      if (no) return { behavior: 'deny', reason: attributed({ by: no.by, text: no.reason }) }
      if (!result.answer) return undefined
      const { by, ...answer } = result.answer
      return { ...answer, reason: attributed({ by, text: answer.reason ?? `It says ${answer.behavior}.` }) }
    },
  }
  return {
    contender,
    show(decision: Decision) {
      if (!open || shown) return
      shown = true
      run.emit('question', questionOf(attempt, decision))
      // Nobody waits for it: the answer may be there before anybody is fetched.
      addHelper(run, { ...notify({ ...inStep, emit: run.emit }, attempt, decision), patient: true })
    },
    /** What comes later counts no more. */
    close(): readonly EventResult[] {
      open = false
      return hooks
    },
  }
}

function questionOf({ call }: Attempt, { reason, suggestions = [] }: Decision) {
  return { tool_use_id: call.id, reason, suggestions }
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
