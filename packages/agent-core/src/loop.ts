import { isMap, messageOf } from '@ext/kernel'
import type { JsonObject, ToolCall } from '@ext/kernel/contract'
import { askModel, type Reply } from './ask-model.js'
import { runBatch } from './batch.js'
import { type RequestedCall, rejectCall } from './call/call.js'
import { textBlock } from './call/content.js'
import { attributed, fire, stoppedBy } from './lifecycle.js'
import { buildRequest, currentToolbox } from './prompt.js'
import type { RunContext, RunEnd } from './run-context.js'
import type { Message } from './types.js'

/** Takes turns until something ends the run. Rejects when the run is aborted. */
export async function converse(run: RunContext, input: string): Promise<RunEnd> {
  const { maxTurns } = run.agent.limits
  let end = (await openSession(run)) ?? (await submitPrompt(run, input))
  while (!end) {
    if (run.turns === maxTurns) {
      return { reason: 'max_turns', notice: { text: `The limit of ${maxTurns} turns is reached.` } }
    }
    run.turns++
    end = await takeTurn(run)
  }
  return end
}

async function openSession(run: RunContext): Promise<RunEnd | undefined> {
  const { agent, session, signal } = run
  if (session.started) return undefined
  signal.throwIfAborted()
  session.started = true
  const notices: (() => void)[] = []
  const { specs } = currentToolbox({ ...run, emit: (type, fields) => notices.push(() => run.emit(type, fields)) })
  run.emit('session_start', {
    model: agent.model.id,
    tools: specs.map(({ name }) => name),
    diagnostics: agent.diagnostics,
  })
  // What there is to say about the tools: not in front of the first event.
  for (const emit of notices) emit()
  const payload = { source: 'startup', model: agent.model.id } as const
  const result = await fire(run, 'SessionStart', () => payload, { signal })
  const { block, stop, context } = result
  if (block) run.emit('notice', { by: block.by, text: `block ignored, a session can't be refused: ${block.reason}` })
  session.pending.push(...context)
  return stop && stoppedBy(stop)
}

/** Puts the prompt into the conversation, unless a hook refuses it: then it leaves no trace there. */
async function submitPrompt(run: RunContext, prompt: string): Promise<RunEnd | undefined> {
  const { session, signal } = run
  const { block, stop, context } = await fire(run, 'UserPromptSubmit', () => ({ prompt }), { signal })
  if (stop) return stoppedBy(stop)
  if (block) return { reason: 'blocked', notice: { by: block.by, text: block.reason } }
  run.emit('user', { text: prompt })
  session.pending.push(...context)
  session.messages.push(userMessage(run, prompt))
  return undefined
}

/** A message with all hook context that waits for one. */
function userMessage({ session, emit }: RunContext, text: string): Message {
  const context = session.pending
  session.pending = []
  for (const { by, text } of context) emit('context', { by, place: 'turn', text })
  return { role: 'user', content: [text, ...context.map(attributed)].map(textBlock) }
}

async function takeTurn(run: RunContext): Promise<RunEnd | undefined> {
  const { session } = run
  const toolbox = currentToolbox(run)
  const reply = await askModel(run, toolbox, buildRequest(run, toolbox))
  run.text = reply.text
  if (reply.broken) return breakOff(run, reply, reply.broken.error)
  session.messages.push(assistantMessage(reply))
  if (reply.calls.length === 0) return finish(run)
  const { results, end } = await runBatch(run, toolbox, reply.calls)
  session.messages.push({ role: 'tool', results })
  run.signal.throwIfAborted()
  return end
}

/** Keeps what arrived, in a form that the conversation can go on from: every call has a result. */
function breakOff(run: RunContext, reply: Reply, error: unknown): RunEnd {
  const why = run.signal.aborted ? 'the run was aborted' : 'the answer of the model broke off'
  if (reply.text !== '' || reply.calls.length > 0) run.session.messages.push(assistantMessage(reply))
  if (reply.calls.length > 0) {
    const results = reply.calls.map((call) => rejectCall(run, call, `Not run: ${why}.`).result)
    run.session.messages.push({ role: 'tool', results })
  }
  run.signal.throwIfAborted()
  return { reason: 'error', notice: { text: `The model failed: ${messageOf(error)}` } }
}

function assistantMessage({ text, calls }: Reply): Message {
  return { role: 'assistant', text, calls: calls.map(toToolCall) }
}

/** What is not an object has been rejected with a message; the conversation needs an object in its place. */
function toToolCall({ id, name, input }: RequestedCall): ToolCall {
  return { id, name, input: isMap(input) ? (input as JsonObject) : {} }
}

/** The model has nothing more to do; a hook may see that differently. */
async function finish(run: RunContext): Promise<RunEnd | undefined> {
  const { session, signal, agent } = run
  const payload = () => ({
    stop_hook_active: run.stopBlocks > 0,
    last_assistant_message: run.text,
    iteration: run.turns,
  })
  const { block, stop, context } = await fire(run, 'Stop', payload, { signal })
  session.pending.push(...context)
  if (stop) return stoppedBy(stop)
  if (!block) return { reason: 'done' }
  if (run.stopBlocks === agent.limits.maxStopBlocks) {
    const text = `The run ends although a hook refuses that for more than ${run.stopBlocks} times: ${block.reason}`
    return { reason: 'done', notice: { by: block.by, text } }
  }
  run.stopBlocks++
  session.messages.push(userMessage(run, attributed({ by: block.by, text: block.reason })))
  return undefined
}
