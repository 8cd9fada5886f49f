import type { ToolCall, ToolMessageResult } from '@ext/kernel/contract'
import { foldName } from '../agents/names.js'
import { bytesOf, keepRecord } from '../audit.js'
import { runBatch, tellBatch } from '../batch.js'
import { textBlock } from '../call/content.js'
import { rejectCall } from '../call/reject.js'
import { attributed, fire } from '../lifecycle.js'
import { currentToolbox } from '../prompt.js'
import type { RunContext, RunEnd } from '../run-context.js'
import { addResults } from './conversation.js'
import type { KeptAgent, OpenTurn } from './restored.js'

/**
 * Brings a turn to its end whose process was ended: every call has its result then. One that had begun is never done again,
 * since nobody knows what it did, but a sub-agent with a log of its own goes on there.
 * @param goesOn calls that had not begun go their whole way now, with the keys that they had: a question is asked again.
 *   Otherwise they are given up.
 */
export async function pickUp(run: RunContext, open: OpenTurn, goesOn: boolean): Promise<RunEnd | undefined> {
  const { session, signal } = run
  if (goesOn) run.turns = open.turn
  for (const [index, call] of open.calls.entries()) {
    const { results, started, agents, turn } = open
    const place = `${turn}.${index}`
    const agent = agents.get(call.id)
    const canGoOn = !started.has(call.id) || (agent && run.agent.agents.has(foldName(agent.name)))
    if (results.has(call.id) || (goesOn && canGoOn)) continue
    const result = started.has(call.id)
      ? await interrupted(run, call, interruptedText(call, agent), `${place}:interrupted`)
      : await givenUp(run, call, `${place}:given-up`)
    results.set(call.id, result)
    session.journal?.write('result', { result })
  }
  const { results, batched, end } = await runBatch(run, currentToolbox(run), open.calls, open.results)
  session.open = undefined
  addResults(session, results)
  signal.throwIfAborted()
  return end ?? (await tellBatch(run, batched))
}

/** What the model is told of a call of which only the beginning is known. */
export function interruptedText({ name }: Pick<ToolCall, 'name'>, agent?: KeptAgent): string {
  if (agent) {
    return `Interrupted: the program was ended while the sub-agent ${agent.name} was at work, and its result is lost. What it did may have taken effect; look before you start it again. Its log is ${agent.log}.`
  }
  return `Interrupted: the program was ended while ${name} ran. The call may have taken effect; look before you repeat it.`
}

/** What the model is told of a call that nobody goes on with. */
export function givenUpText(open: Pick<OpenTurn, 'started' | 'agents'>, call: ToolCall, why: string): string {
  return open.started.has(call.id)
    ? interruptedText(call, open.agents.get(call.id))
    : `No result: the program was ended before this call was done, and ${why}.`
}

/** Hooks that have heard of its beginning, in a process that is gone, hear of its end. */
async function interrupted(run: RunContext, call: ToolCall, error: string, place: string): Promise<ToolMessageResult> {
  const { id, name, input } = call
  const tool = currentToolbox(run).find(name)
  const ofServer =
    tool?.source.server === undefined ? {} : { server: tool.source.server, server_tool: tool.source.tool }
  run.emit('tool_call', { tool_use_id: id, tool: name, input, source: tool?.source ?? { tool: name } })
  const payload = {
    tool_name: name,
    tool_input: input,
    tool_use_id: id,
    ...ofServer,
    error,
    cause: 'aborted',
    executed: true,
    wait_ms: 0,
    duration_ms: 0,
  } as const
  const { context, block } = await fire(run, 'PostToolUseFailure', () => payload, {
    signal: run.signal,
    place,
    callId: id,
  })
  const told = [...(block ? [{ by: block.by, text: block.reason }] : []), ...context].map(attributed)
  const content = Object.freeze([error, ...told].map(textBlock))
  run.emit('tool_result', { tool_use_id: id, tool: name, is_error: true, content, executed: true, duration_ms: 0 })
  await keepRecord(run, place, {
    tool: name,
    tool_use_id: id,
    ...(tool?.source.server === undefined ? {} : { server: tool.source.server }),
    input,
    ...(tool ? { kind: tool.kind } : {}),
    hook_blocks: [],
    waiting_ms: 0,
    duration_ms: 0,
    result_bytes: bytesOf(content),
    is_error: true,
    error_kind: 'aborted',
    ...(run.span?.traceId === undefined ? {} : { trace_id: run.span.traceId }),
  })
  return Object.freeze({ callId: id, name, isError: true, content })
}

async function givenUp(run: RunContext, call: ToolCall, place: string): Promise<ToolMessageResult> {
  const { id, name, input } = call
  run.emit('tool_call', { tool_use_id: id, tool: name, input, source: { tool: name } })
  const text = givenUpText({ started: new Set(), agents: new Map() }, call, 'another prompt came')
  const { result } = await rejectCall(run, call, place, 'not_run', text)
  return result
}
