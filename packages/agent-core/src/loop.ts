import { messageOf } from '@ext/kernel'
import type { Message } from '@ext/kernel/contract'
import { handOver } from './agents/handoff/hand-over.js'
import { askModel } from './ask-model.js'
import { runBatch, tellBatch } from './batch.js'
import { budgetUsedUp } from './budget.js'
import type { CallEnd } from './call/call.js'
import { textBlock } from './call/content.js'
import { rejectCall } from './call/reject.js'
import { compactAfterOverflow, compactInTime } from './compaction/in-time.js'
import { endHelpers } from './helpers.js'
import { placeOf } from './host-ports.js'
import { attributed, fire, stoppedBy } from './lifecycle.js'
import { afterModel, beforeModel, toToolCall } from './model-hooks.js'
import { ABORTED, type Reply } from './model-stream.js'
import { buildRequest, currentToolbox, prepareTurn, sayPending, userMessage } from './prompt.js'
import { failedEnd, type RunContext, type RunEnd } from './run-context.js'
import { runKey } from './run-key.js'
import { addMessage, addResults } from './sessions/conversation.js'
import type { CallUsage } from './sessions/log.js'
import { turnOver } from './sessions/run.js'
import { keepOwnSpent } from './sessions/spent.js'
import { isOutOfTime, macrotask } from './signals.js'
import { endOwnTasks } from './tasks/end.js'
import { takeModel } from './terms.js'

/** After so many turns others get their turn, also where model and tools answer at once: timers, other sessions. */
const TURNS_IN_A_ROW = 64

/**
 * Takes turns until something ends the run, and tells the hooks how it ended. Never rejects for anything that a model,
 * tool, hook, gate or abort can do.
 * @param open what comes before the first turn; it may end the run
 */
export async function converse(run: RunContext, open: () => Promise<RunEnd | undefined>): Promise<RunEnd> {
  const { active } = run.agent
  const key = runKey(run.session.ref)
  active.set(key, run)
  const end = await takeTurns(run, open).catch((error) => endAfterError(run, error))
  if (end.notice) run.emit('notice', end.notice)
  await tellEnd(run, end)
  await endHelpers(run)
  if (run.parent) await endOwnTasks(run)
  if (active.get(key) === run) active.delete(key)
  return end
}

async function takeTurns(run: RunContext, open: () => Promise<RunEnd | undefined>): Promise<RunEnd> {
  let end = await open()
  while (!end) {
    end = stopAsked(run) ?? limitReached(run)
    if (end) break
    run.turns++
    if (run.turns % TURNS_IN_A_ROW === 0) await macrotask()
    end = await takeTurn(run)
  }
  return end
}

/** A hook that was told outside of the loop wants the run to end. */
function stopAsked({ session, parent }: RunContext): RunEnd | undefined {
  const { stop } = session
  if (!stop || parent) return undefined
  session.stop = undefined
  return stoppedBy(stop)
}

function limitReached(run: RunContext): RunEnd | undefined {
  const { turns, maxTurns, guards } = run
  if (turns >= maxTurns) return failedEnd('max_turns', 'max_turns', `The limit of ${maxTurns} turns is reached.`)
  const problem = guards ? undefined : budgetUsedUp(run)
  return problem === undefined ? undefined : failedEnd('budget', 'budget', problem)
}

async function takeTurn(run: RunContext): Promise<RunEnd | undefined> {
  const { session } = run
  run.signal.throwIfAborted()
  if (!run.parent) await prepareTurn(run)
  const early = await compactInTime(run)
  if (early) return refused(run, early)
  sayPending(run)
  takeModel(run)
  const toolbox = currentToolbox(run)
  const asked = await beforeModel(run, buildRequest(run, toolbox))
  if (asked.end) return refused(run, asked.end)
  const heard = await askModel(run, asked.value)
  run.text = heard.text
  if (heard.broken) {
    if (heard.text === '' && heard.calls.length === 0) keepOwnSpent(run, heard)
    const shorter = await compactAfterOverflow(run, heard)
    if (shorter === 'retry') return undefined
    return shorter ?? breakOff(run, heard, heard.broken)
  }
  run.overflowed = false
  const passed = await afterModel(run, heard).catch((error) => {
    if (!run.signal.aborted) throw error
    return undefined
  })
  if (!passed) return breakOff(run, heard, ABORTED)
  if (passed.end) return passed.end
  const reply = passed.value
  run.text = reply.text
  addMessage(session, assistantMessage(reply), { turn: run.turns, usage: usageOf(reply) })
  noteUsage(run, reply)
  if (reply.calls.length === 0) return finish(run, reply)
  run.refusal = undefined
  const { results, batched, end } = await runBatch(run, toolbox, reply.calls)
  addResults(session, results)
  turnOver(run)
  run.signal.throwIfAborted()
  const over = end ?? (await tellBatch(run, batched))
  if (session.handingOver) await handOver(run)
  return over
}

/** Turns are model calls, and this one was refused. */
function refused(run: RunContext, end: RunEnd): RunEnd {
  run.turns--
  return end
}

/** What the model has counted is better than any estimate. */
function noteUsage({ session }: RunContext, { inputTokens, outputTokens }: Reply): void {
  const tokens = inputTokens + outputTokens
  if (tokens > 0) session.measured = { tokens, messages: session.messages.length }
}

/** Keeps what arrived, in a form that the conversation can go on from: every call has a result. */
async function breakOff(run: RunContext, reply: Reply, broken: NonNullable<Reply['broken']>): Promise<RunEnd> {
  const { kind } = broken
  const why = kind === 'aborted' ? 'the run was aborted' : 'the answer of the model broke off'
  const { session, turns } = run
  if (reply.text !== '' || reply.calls.length > 0) {
    addMessage(session, assistantMessage(reply), { turn: turns, usage: usageOf(reply) })
  }
  if (reply.calls.length > 0) {
    const ends: CallEnd[] = []
    for (const [index, call] of reply.calls.entries()) {
      run.emit('tool_call', { tool_use_id: call.id, tool: call.name, input: call.input, source: { tool: call.name } })
      const end = await rejectCall(run, call, `${turns}.${index}`, 'not_run', `Not run: ${why}.`)
      session.journal?.write('result', { result: end.result })
      ends.push(end)
    }
    addResults(
      session,
      ends.map(({ result }) => result),
    )
  }
  if (kind === 'aborted') return abortedEnd(run)
  const message = `The model failed: ${broken.message}`
  const notification = { notification_type: 'stream_error', message } as const
  await fire(run, 'Notification', () => notification, { signal: run.signal, place: `stream:${run.turns}` })
  return failedEnd('error', kind, message)
}

function assistantMessage({ text, calls, meta }: Reply): Message {
  const more = meta ? { meta } : {}
  return Object.freeze({ role: 'assistant', text, calls: Object.freeze(calls.map(toToolCall)), ...more })
}

function usageOf({ inputTokens, outputTokens, costUsd }: Reply): CallUsage {
  return { inputTokens, outputTokens, ...(costUsd === undefined ? {} : { costUsd }) }
}

/** The model has nothing more to do; a hook may see that differently. */
async function finish(run: RunContext, reply: Reply): Promise<RunEnd | undefined> {
  const { session, signal, agent, turns } = run
  if (reply.text === '') run.emit('notice', { text: 'The model ended its turn without a word.' })
  const { block, stop, context } = await fireStop(run, signal)
  session.pending.push(...context)
  if (stop) return stoppedBy(stop)
  if (!block) return { reason: 'done' }
  const forced = (why: string): RunEnd => {
    const text = `The run ends although a hook refuses that ${why}: ${block.reason}`
    return { reason: 'done', notice: { by: block.by, text } }
  }
  if (run.stopBlocks === agent.limits.maxStopBlocks) return forced(`for more than ${run.stopBlocks} times`)
  if (run.refusal === block.reason) return forced('again with the same reason, and no tool was called in between')
  run.refusal = block.reason
  run.stopBlocks++
  run.emit('notice', { by: block.by, text: `refused the end after turn ${turns}: ${block.reason}` })
  addMessage(session, userMessage(run, [textBlock(attributed({ by: block.by, text: block.reason }))]))
  return undefined
}

/** Stop, which for a sub-agent is called SubagentStop. */
function fireStop(run: RunContext, signal: AbortSignal) {
  const { agent, origin } = run.session.ref
  const options = { signal, place: run.turns }
  const common = { stop_hook_active: run.stopBlocks > 0, last_assistant_message: run.text }
  if (origin === 'main') return fire(run, 'Stop', () => ({ ...common, iteration: run.turns }), options)
  const file = run.session.journal && placeOf(run.agent, run.session.logId, run.session.ref.cwd)
  const who = {
    agent_id: agent?.id ?? '',
    agent_type: agent?.type ?? '',
    ...(file === undefined ? {} : { agent_transcript_path: file }),
  }
  return fire(run, 'SubagentStop', () => ({ ...common, ...who }), options)
}

/** StopFailure where something went wrong, and AfterAgent always, as far as the time of grace lasts after an abort. */
async function tellEnd(run: RunContext, { error }: RunEnd): Promise<void> {
  if (!run.session.started) return
  const options = { signal: run.grace, place: 'end' }
  const { inputTokens, outputTokens } = run.used
  try {
    if (error) {
      const payload = { error: error.kind, error_details: error.message }
      await fire(run, 'StopFailure', () => payload, options)
    }
    const payload = {
      last_assistant_message: run.text,
      iterations: run.turns,
      usage: { input_tokens: inputTokens, output_tokens: outputTokens },
    }
    await fire(run, 'AfterAgent', () => payload, options)
  } catch {
    run.emit('notice', { text: 'The time of the aborted run was over before the hooks at its end were done.' })
  }
}

function endAfterError(run: RunContext, error: unknown): RunEnd {
  if (run.signal.aborted) return abortedEnd(run)
  return failedEnd('error', 'internal', `The run failed: ${messageOf(error)}`)
}

/** Aborted by its caller, or by the clock of its budget. */
function abortedEnd({ signal, agent }: RunContext): RunEnd {
  if (!isOutOfTime(signal.reason)) return { reason: 'aborted' }
  return failedEnd('budget', 'budget', `The time of ${agent.limits.maxRunMs} ms is used up.`)
}
