import { settleAll } from '@ext/kernel'
import { type CallEnd, type RequestedCall, rejectCall, runCall } from './call/call.js'
import type { Toolbox } from './call/toolbox.js'
import { stoppedBy } from './lifecycle.js'
import type { RunContext, RunEnd } from './run-context.js'
import type { ToolMessageResult } from './types.js'

/** Read-only calls that run at the same time. */
const PARALLEL = 4

export interface BatchResult {
  /** One for each call, in the order of the calls. */
  readonly results: readonly ToolMessageResult[]
  /** The run is over. */
  readonly end: RunEnd | undefined
}

/** Runs the calls of one turn: neighbours that only read side by side, everything else one after the other. */
export async function runBatch(
  run: RunContext,
  toolbox: Toolbox,
  calls: readonly RequestedCall[],
): Promise<BatchResult> {
  const results: ToolMessageResult[] = []
  let end: RunEnd | undefined
  let index = 0
  for (const group of groupCalls(toolbox, calls)) {
    const first = index
    index += group.length
    const ends = end
      ? group.map((call) => rejectCall(run, call, 'Not run: the run ended before it.'))
      : await runGroup(group, (call, offset) => runCall(run, toolbox, call, `${run.id}:${run.turns}:${first + offset}`))
    for (const callEnd of ends) {
      results.push(callEnd.result)
      end ??= endAfter(run, callEnd)
    }
  }
  return { results, end }
}

function groupCalls(toolbox: Toolbox, calls: readonly RequestedCall[]): readonly RequestedCall[][] {
  const groups: RequestedCall[][] = []
  let joinable = false
  for (const call of calls) {
    const tool = toolbox.find(call.name)
    const reads = tool?.annotations.readOnly === true && tool.source.trusted
    const last = groups.at(-1)
    if (reads && joinable && last) last.push(call)
    else groups.push([call])
    joinable = reads
  }
  return groups
}

async function runGroup(
  group: readonly RequestedCall[],
  runOne: (call: RequestedCall, offset: number) => Promise<CallEnd>,
): Promise<readonly CallEnd[]> {
  const [only] = group
  if (only && group.length === 1) return [await runOne(only, 0)]
  const settled = await settleAll(group, runOne, { limit: PARALLEL })
  return settled.map((each) => {
    if (each.status === 'failed') throw each.error
    return each.value
  })
}

function endAfter(run: RunContext, { unknownTool, stop }: CallEnd): RunEnd | undefined {
  run.unknownInARow = unknownTool ? run.unknownInARow + 1 : 0
  if (stop) return stoppedBy(stop)
  if (run.unknownInARow < run.agent.limits.unknownToolsInARow) return undefined
  const text = `The model called tools that do not exist ${run.unknownInARow} times in a row.`
  return { reason: 'error', notice: { text } }
}
