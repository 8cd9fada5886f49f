import type { ContentBlock, EventResult, JsonValue, ToolResult } from '@ext/kernel/contract'
import { receive } from '../json.js'
import { attributed, fire } from '../lifecycle.js'
import { isBlock } from '../messages.js'
import type { RunContext } from '../run-context.js'
import type { Attempt, Ending } from './attempt.js'
import { textBlock } from './content.js'
import { toolPayload } from './prepare.js'

/**
 * The one Post event. After an abort it still fires, but the run waits only for the time of grace.
 * @returns what the model gets as the result
 */
export async function fireAfter(run: RunContext, attempt: Attempt, ending: Ending): Promise<readonly ContentBlock[]> {
  const content = ending.result ? ending.result.content : ending.content
  const { call, tool, told } = attempt
  let after: EventResult
  try {
    after = await firePost(run, attempt, ending)
  } catch (error) {
    if (!run.grace.aborted) throw error
    run.emit('notice', { text: `The time of the aborted run was over before the hooks after ${tool.name} were done.` })
    return content
  }
  if (after.block) told.push(attributed({ by: after.block.by, text: after.block.reason }))
  told.push(...after.context.map(attributed))
  attempt.stop ??= after.stop
  const update = ending.result && after.updatedOutput
  if (!update) return content
  const { value, problem } = receive(update.output)
  if (problem !== undefined) {
    run.emit('notice', { by: update.by, text: `ignored: its change of the output: it ${problem}` })
    return content
  }
  run.emit('changed', { by: update.by, what: 'output', tool_use_id: call.id, original: content })
  told.push(`result of ${tool.name} was changed by hook ${update.by}`)
  return contentOf(value)
}

function firePost(run: RunContext, attempt: Attempt, ending: Ending): Promise<EventResult> {
  const { call, at, span, durationMs, waitMs, executed } = attempt
  const options = { signal: run.grace, callId: call.id, place: at.place, span, inAnyCase: true }
  if (ending.result) {
    const { result } = ending
    return fire(
      run,
      'PostToolUse',
      () => ({ ...toolPayload(attempt), tool_response: responseOf(result), duration_ms: durationMs }),
      options,
    )
  }
  const { cause, error } = ending
  return fire(
    run,
    'PostToolUseFailure',
    () => ({ ...toolPayload(attempt), error, cause, executed, wait_ms: waitMs, duration_ms: durationMs }),
    options,
  )
}

function responseOf({ content, structured }: ToolResult): JsonValue {
  return { content, ...(structured === undefined ? {} : { structured }) }
}

/** A text is a text, content blocks are what they are, and anything else is shown as JSON. */
function contentOf(output: JsonValue): readonly ContentBlock[] {
  if (typeof output === 'string') return [textBlock(output)]
  if (Array.isArray(output) && output.every(isBlock)) return output as readonly ContentBlock[]
  return [textBlock(JSON.stringify(output))]
}
