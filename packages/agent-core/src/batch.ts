import { settleAll } from '@ext/kernel'
import type { BatchedCallPayload, ToolMessageResult } from '@ext/kernel/contract'
import { type CallEnd, type RequestedCall, runCall } from './call/call.js'
import { rejectCall } from './call/reject.js'
import type { Toolbox } from './call/toolbox.js'
import { fire, stoppedBy } from './lifecycle.js'
import { failedEnd, type RunContext, type RunEnd } from './run-context.js'

/** Read-only calls that run at the same time. */
const PARALLEL = 4

export interface BatchResult {
  /** One for each call, in the order of the calls. */
  readonly results: readonly ToolMessageResult[]
  /** The run is over. */
  readonly end: RunEnd | undefined
}

/**
 * Runs the calls of one turn: neighbours that only read side by side, everything else one after the other. Then
 * PostToolBatch, unless the run ends anyway.
 */
export async function runBatch(
  run: RunContext,
  toolbox: Toolbox,
  calls: readonly RequestedCall[],
): Promise<BatchResult> {
  for (const { id, name, input } of calls) {
    run.emit('tool_call', { tool_use_id: id, tool: name, input, source: sourceOf(toolbox, name) })
  }
  const { maxCallsPerTurn } = run.agent.limits
  const ends: CallEnd[] = []
  let end: RunEnd | undefined
  for (const group of groupCalls(toolbox, calls, maxCallsPerTurn)) {
    const groupEnds = await runGroup(group, ({ call, index }) => {
      const place = `${run.turns}.${index}`
      if (end) return rejectCall(run, call, place, 'not_run', 'Not run: the run ended before it.')
      if (index >= maxCallsPerTurn) {
        const reason = `Not run: it is call ${index + 1} of one turn, and ${maxCallsPerTurn} are the limit.`
        return rejectCall(run, call, place, 'not_run', reason)
      }
      return runCall(run, toolbox, call, { place, idempotencyKey: `${run.id}:${run.turns}:${index}` })
    })
    for (const [offset, callEnd] of groupEnds.entries()) {
      ends.push(callEnd)
      const call = group[offset]?.call
      if (call) end ??= endAfter(run, call, callEnd)
    }
  }
  const results = ends.map(({ result }) => result)
  return {
    results,
    end:
      end ??
      (await tellBatch(
        run,
        ends.flatMap(({ batched }) => batched ?? []),
      )),
  }
}

/** PostToolBatch: hooks see the calls of the turn together and may end the run before the model is asked again. */
async function tellBatch(run: RunContext, batched: readonly BatchedCallPayload[]): Promise<RunEnd | undefined> {
  const { signal, turns, session } = run
  if (batched.length === 0 || signal.aborted) return undefined
  const result = await fire(run, 'PostToolBatch', () => ({ tool_calls: batched }), { signal, place: turns })
  const { block, stop, context } = result
  session.pending.push(...context)
  const ends = stop ?? block
  return ends && stoppedBy(ends)
}

interface PlacedCall {
  readonly call: RequestedCall
  readonly index: number
}

function groupCalls(toolbox: Toolbox, calls: readonly RequestedCall[], most: number): readonly PlacedCall[][] {
  const groups: PlacedCall[][] = []
  let joinable = false
  for (const [index, call] of calls.entries()) {
    const tool = toolbox.find(call.name)
    const reads = index < most && tool?.annotations.readOnly === true && tool.source.trusted
    const last = groups.at(-1)
    if (reads && joinable && last) last.push({ call, index })
    else groups.push([{ call, index }])
    joinable = reads
  }
  return groups
}

async function runGroup(
  group: readonly PlacedCall[],
  runOne: (placed: PlacedCall) => Promise<CallEnd>,
): Promise<readonly CallEnd[]> {
  const [only] = group
  if (only && group.length === 1) return [await runOne(only)]
  const settled = await settleAll(group, runOne, { limit: PARALLEL })
  return settled.map((each) => {
    if (each.status === 'failed') throw each.error
    return each.value
  })
}

function endAfter(run: RunContext, call: RequestedCall, { unknownTool, stop }: CallEnd): RunEnd | undefined {
  const { unknownToolsInARow, sameCallsInARow } = run.agent.limits
  run.unknownInARow = unknownTool ? run.unknownInARow + 1 : 0
  const same = JSON.stringify([call.name, call.input])
  run.repeated = { call: same, times: same === run.repeated.call ? run.repeated.times + 1 : 1 }
  if (stop) return stoppedBy(stop)
  if (run.unknownInARow >= unknownToolsInARow) {
    const text = `The model called tools that do not exist ${run.unknownInARow} times in a row.`
    return failedEnd('error', 'unknown_tools', text)
  }
  if (run.repeated.times < sameCallsInARow) return undefined
  return failedEnd(
    'error',
    'repetition',
    `The model made the same call of ${call.name} ${sameCallsInARow} times in a row.`,
  )
}

function sourceOf(toolbox: Toolbox, name: string): { readonly server?: string; readonly tool: string } {
  const source = toolbox.find(name)?.source
  if (!source) return { tool: name }
  return { ...(source.server === undefined ? {} : { server: source.server }), tool: source.tool }
}
