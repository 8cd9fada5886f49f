import { messageOf } from '@ext/kernel'
import type { EventResult, JsonValue, ToolResult } from '@ext/kernel/contract'
import { attributed, fire } from '../lifecycle.js'
import type { RunContext } from '../run-context.js'
import type { ToolMessageResult } from '../types.js'
import { type Attempt, type Ending, failed } from './attempt.js'
import { authorize } from './authorize.js'
import { capText, textBlock } from './content.js'
import { aborted, execute } from './execute.js'
import { checkInput } from './input.js'
import { prepare, toolPayload } from './prepare.js'
import type { Toolbox } from './toolbox.js'

/** A call as the model made it. */
export interface RequestedCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

export type Stop = NonNullable<EventResult['stop']>

export interface CallEnd {
  readonly result: ToolMessageResult
  readonly unknownTool: boolean
  /** A hook wants the run to end. */
  readonly stop: Stop | undefined
}

/**
 * The one way of a tool call: find, check, PreToolUse, permission, run, Post event, result. Every call whose
 * PreToolUse was fired has exactly one Post event, whatever its end; a call that ends before has neither.
 * Does not reject for anything that a tool, hook, gate or abort can do.
 */
export async function runCall(
  run: RunContext,
  toolbox: Toolbox,
  call: RequestedCall,
  idempotencyKey: string,
): Promise<CallEnd> {
  if (run.signal.aborted) return rejectCall(run, call, 'Not run: the run was aborted.')
  const tool = toolbox.find(call.name)
  if (!tool) return { ...rejectCall(run, call, toolbox.missing(call.name)), unknownTool: true }
  const { input, problem } = checkInput(run.agent.validator, tool, call.input)
  if (input === undefined) return rejectCall(run, call, problem)

  const { id, name } = call
  const attempt: Attempt = { tool, call: { id, name, input }, executed: false, waitMs: 0, durationMs: 0, told: [] }
  const { ending, stop } = await attemptCall(run, attempt, idempotencyKey)
  const content = 'result' in ending ? ending.result.content : ending.content
  const stopAfter = await fireAfter(run, attempt, ending)
  const result: ToolMessageResult = {
    callId: id,
    name,
    isError: !('result' in ending),
    content: [...capText(content, run.agent.limits.maxResultBytes), ...attempt.told.map(textBlock)],
  }
  run.emit('tool_result', {
    tool_use_id: id,
    tool: name,
    is_error: result.isError,
    content: result.content,
    executed: attempt.executed,
    duration_ms: attempt.durationMs,
  })
  return { result, unknownTool: false, stop: stop ?? stopAfter }
}

async function attemptCall(
  run: RunContext,
  attempt: Attempt,
  idempotencyKey: string,
): Promise<{ readonly ending: Ending; readonly stop: Stop | undefined }> {
  let stop: Stop | undefined
  try {
    const prepared = await prepare(run, attempt)
    stop = prepared.stop
    const ending =
      prepared.ending ??
      (await authorize(run, attempt, prepared.opinion)) ??
      (await execute(run, attempt, idempotencyKey))
    return { ending, stop }
  } catch (error) {
    // Anything else is a fault, such as an input from a hook that is no JSON. The call ends properly all the same.
    const ending = run.signal.aborted
      ? aborted(attempt)
      : failed('crashed', `${attempt.tool.name} could not be run: ${messageOf(error)}`)
    return { ending, stop }
  }
}

/** The one Post event. After an abort it still fires, but the run waits only for the time of grace. */
async function fireAfter(run: RunContext, attempt: Attempt, ending: Ending): Promise<Stop | undefined> {
  const options = { signal: run.grace, callId: attempt.call.id }
  let after: EventResult
  try {
    after =
      'result' in ending
        ? await fire(
            run,
            'PostToolUse',
            () => ({
              ...toolPayload(attempt),
              tool_response: responseOf(ending.result),
              duration_ms: attempt.durationMs,
            }),
            options,
          )
        : await fire(
            run,
            'PostToolUseFailure',
            () => ({
              ...toolPayload(attempt),
              error: ending.error,
              cause: ending.cause,
              executed: attempt.executed,
              wait_ms: attempt.waitMs,
              duration_ms: attempt.durationMs,
            }),
            options,
          )
  } catch (error) {
    if (!run.grace.aborted) throw error
    run.emit('notice', { text: `The hooks after ${attempt.tool.name} were still running when the run ended.` })
    return undefined
  }
  if (after.block) attempt.told.push(attributed({ by: after.block.by, text: after.block.reason }))
  attempt.told.push(...after.context.map(attributed))
  return after.stop
}

function responseOf({ content, structured }: ToolResult): JsonValue {
  return { content, ...(structured === undefined ? {} : { structured }) }
}

/** Ends a call in front of the hooks. The model gets the reason as the result. */
export function rejectCall(run: RunContext, call: RequestedCall, reason: string): CallEnd {
  run.emit('tool_rejected', { tool_use_id: call.id, tool: call.name, reason })
  return {
    result: { callId: call.id, name: call.name, isError: true, content: [textBlock(reason)] },
    unknownTool: false,
    stop: undefined,
  }
}
