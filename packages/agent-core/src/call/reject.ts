import { bytesOf, keepRecord } from '../audit.js'
import type { RunContext } from '../run-context.js'
import type { CallEnd, RequestedCall } from './call.js'
import { textBlock } from './content.js'

/** Ends a call in front of the hooks. The model gets the reason as the result. */
export async function rejectCall(
  run: RunContext,
  call: RequestedCall,
  place: string,
  kind: 'unknown_tool' | 'invalid_input' | 'not_run',
  reason: string,
): Promise<CallEnd> {
  const { id, name, input } = call
  run.emit('tool_rejected', { tool_use_id: id, tool: name, reason })
  const content = [textBlock(reason)]
  await keepRecord(run, place, {
    tool: name,
    tool_use_id: id,
    input,
    hook_blocks: [],
    waiting_ms: 0,
    duration_ms: 0,
    result_bytes: bytesOf(content),
    is_error: true,
    error_kind: kind,
    ...(run.span?.traceId === undefined ? {} : { trace_id: run.span.traceId }),
  })
  return {
    result: Object.freeze({ callId: id, name, isError: true, content: Object.freeze(content) }),
    unknownTool: kind === 'unknown_tool',
    batched: undefined,
    stop: undefined,
  }
}
