import { messageOf } from '@ext/kernel'
import type { BatchedCallPayload, EventResult, JsonValue, ToolCall } from '@ext/kernel/contract'
import { bytesOf, keepRecord } from '../audit.js'
import { isEngineFailure } from '../durable.js'
import type { RunContext } from '../run-context.js'
import { tellCalled } from '../terms.js'
import { startSpan } from '../trace.js'
import type { ToolMessageResult } from '../types.js'
import { fireAfter } from './after.js'
import { type Attempt, type Ending, failed } from './attempt.js'
import { authorize } from './authorize.js'
import { capContent, textBlock } from './content.js'
import { aborted, execute } from './execute.js'
import { forModel } from './for-model.js'
import { checkInput } from './input.js'
import { prepare, toolPayload } from './prepare.js'
import { rejectCall } from './reject.js'
import type { Toolbox } from './toolbox.js'

/** A call as the model made it. */
export interface RequestedCall {
  readonly id: string
  readonly name: string
  readonly input: JsonValue
  /** Why the input can't be looked at. */
  readonly problem?: string
}

/** Where a call stands in its run. */
export interface CallPlace {
  /** Turn and position in it, such as `3.0`: the end of the names of its steps. */
  readonly place: string
  readonly idempotencyKey: string
}

export type Stop = NonNullable<EventResult['stop']>

export interface CallEnd {
  readonly result: ToolMessageResult
  readonly unknownTool: boolean
  /** For PostToolBatch; `undefined` for a call that never got to its hooks. */
  readonly batched: BatchedCallPayload | undefined
  /** A hook wants the run to end. */
  readonly stop: Stop | undefined
  /** Why the call was not brought to its end, and the run ends. */
  readonly broken?: unknown
}

/**
 * The one way of a tool call: find, check, PreToolUse, permission, run, Post event, result. Every call whose
 * PreToolUse was fired has exactly one Post event, whatever its end; a call that ends before has neither.
 * Does not reject for anything that a tool, hook, gate or abort can do; only when the engine behind the steps fails.
 */
export async function runCall(
  run: RunContext,
  toolbox: Toolbox,
  requested: RequestedCall,
  at: CallPlace,
): Promise<CallEnd> {
  const reject = (kind: Parameters<typeof rejectCall>[3], reason: string) =>
    rejectCall(run, requested, at.place, kind, reason)
  if (run.signal.aborted) return reject('not_run', 'Not run: the run was aborted.')
  const tool = toolbox.find(requested.name)
  if (!tool) return reject('unknown_tool', toolbox.missing(requested.name))
  if (requested.problem !== undefined) {
    return reject('invalid_input', `The input of ${tool.name} ${requested.problem}.`)
  }
  const { input, problem } = checkInput(run.agent.validator, tool, requested.input)
  if (input === undefined) return reject('invalid_input', problem)

  const { id, name } = requested
  const call: ToolCall = Object.freeze({ id, name, input })
  const span = startSpan(run, `execute_tool ${name}`, run.span, {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'gen_ai.tool.call.id': id,
  })
  const attempt: Attempt = {
    tool,
    at,
    span,
    call,
    executed: false,
    waitMs: 0,
    durationMs: 0,
    authorization: undefined,
    blockedBy: [],
    told: [],
    stop: undefined,
  }
  const ending = await attemptCall(run, attempt)
  if (attempt.executed) tellCalled(run, { call: attempt.call, tool })
  const content = await fireAfter(run, attempt, ending)
  const result: ToolMessageResult = Object.freeze({
    callId: id,
    name,
    isError: ending.cause !== undefined,
    content: Object.freeze([
      ...forModel(content, run.model.limits, run.agent.limits),
      ...capContent(attempt.told.map(textBlock), run.agent.limits.maxResultBytes),
    ]),
  })
  run.emit('tool_result', {
    tool_use_id: id,
    tool: name,
    is_error: result.isError,
    content: result.content,
    executed: attempt.executed,
    duration_ms: attempt.durationMs,
  })
  span?.end(ending.cause)
  await keepCall(run, attempt, ending, result)
  const { executed, stop } = attempt
  const batched = { ...toolPayload(attempt), is_error: result.isError, executed, tool_response: result.content }
  return { result, unknownTool: false, batched, stop }
}

async function attemptCall(run: RunContext, attempt: Attempt): Promise<Ending> {
  try {
    const prepared = await prepare(run, attempt)
    return prepared.ending ?? (await authorize(run, attempt, prepared.opinion)) ?? (await execute(run, attempt))
  } catch (error) {
    if (run.signal.aborted) return aborted(attempt)
    if (isEngineFailure(error)) throw error
    // Anything else is a fault, such as an input from a hook that is no JSON. The call ends properly all the same.
    return failed('crashed', `${attempt.tool.name} could not be run: ${messageOf(error)}`)
  }
}

async function keepCall(
  run: RunContext,
  attempt: Attempt,
  { cause }: Ending,
  { isError, content }: ToolMessageResult,
): Promise<void> {
  if (!run.agent.audit) return
  const { tool, call, authorization, span } = attempt
  await keepRecord(run, attempt.at.place, {
    tool: call.name,
    tool_use_id: call.id,
    ...(tool.source.server === undefined ? {} : { server: tool.source.server }),
    input: call.input,
    kind: tool.kind,
    ...(authorization && {
      permission: {
        behavior: authorization.behavior,
        decided_by: authorization.decision.decidedBy,
        answered_by: authorization.answeredBy,
      },
    }),
    hook_blocks: attempt.blockedBy,
    waiting_ms: attempt.waitMs,
    duration_ms: attempt.durationMs,
    result_bytes: bytesOf(content),
    is_error: isError,
    ...(cause === undefined ? {} : { error_kind: cause }),
    ...(span?.traceId === undefined ? {} : { trace_id: span.traceId }),
  })
}
