import { messageOf, settleAll } from '@ext/kernel'
import type { BatchedCallPayload, ToolMessageResult } from '@ext/kernel/contract'
import { type CallEnd, type RequestedCall, runCall } from './call/call.js'
import { textBlock } from './call/content.js'
import { rejectCall } from './call/reject.js'
import type { Toolbox } from './call/toolbox.js'
import { fire, stoppedBy } from './lifecycle.js'
import { failedEnd, type RunContext, type RunEnd } from './run-context.js'

/** Read-only calls that run at the same time. */
const PARALLEL = 4

export interface BatchResult {
  /** One for each call, in the order of the calls. */
  readonly results: readonly ToolMessageResult[]
  /** Calls that got to their hooks. */
  readonly batched: readonly BatchedCallPayload[]
  /** The run is over. */
  readonly end: RunEnd | undefined
}

/**
 * Runs the calls of one turn: neighbours that only read side by side, everything else one after the other. Never rejects:
 * whatever goes wrong, every call has its result.
 * @param known results that calls have already, from before the session was resumed
 */
export async function runBatch(
  run: RunContext,
  toolbox: Toolbox,
  calls: readonly RequestedCall[],
  known: ReadonlyMap<string, ToolMessageResult> = NONE_KNOWN,
): Promise<BatchResult> {
  for (const { id, name, input } of calls) {
    if (known.has(id)) continue
    run.emit('tool_call', { tool_use_id: id, tool: name, input, source: sourceOf(toolbox, name) })
  }
  const { maxCallsPerTurn, sameCallsInARow } = run.agent.limits
  const times = countRepeats(run, calls)
  const ends: CallEnd[] = []
  let end: RunEnd | undefined
  for (const group of groupCalls(toolbox, calls, maxCallsPerTurn)) {
    const groupEnds = await runGroup(run, group, ({ call, index }) => {
      const before = known.get(call.id)
      if (before) return Promise.resolve(finished(before))
      const place = `${run.turns}.${index}`
      const refuse = (reason: string) => rejectCall(run, call, place, 'not_run', `Not run: ${reason}`)
      if (end) return refuse('the run ended before it.')
      if (index >= maxCallsPerTurn) {
        return refuse(`it is call ${index + 1} of one turn, and ${maxCallsPerTurn} are the limit.`)
      }
      if ((times[index] ?? 0) > sameCallsInARow)
        return refuse(`it is the same call more than ${sameCallsInARow} times.`)
      return runCall(run, toolbox, call, { place, idempotencyKey: `${run.id}:${run.turns}:${index}` })
    })
    for (const [offset, callEnd] of groupEnds.entries()) {
      ends.push(callEnd)
      const placed = group[offset]
      if (placed) end ??= endAfter(run, placed.call.name, times[placed.index] ?? 0, callEnd)
    }
  }
  return { results: ends.map(({ result }) => result), batched: ends.flatMap(({ batched }) => batched ?? []), end }
}

/** PostToolBatch: hooks see the calls of the turn together and may end the run before the model is asked again. */
export async function tellBatch(run: RunContext, batched: readonly BatchedCallPayload[]): Promise<RunEnd | undefined> {
  const { signal, turns, session } = run
  if (batched.length === 0) return undefined
  const result = await fire(run, 'PostToolBatch', () => ({ tool_calls: batched }), { signal, place: turns })
  const { block, stop, context } = result
  session.pending.push(...context)
  const ends = stop ?? block
  return ends && stoppedBy(ends)
}

const NONE_KNOWN: ReadonlyMap<string, ToolMessageResult> = new Map()

function finished(result: ToolMessageResult): CallEnd {
  return { result, unknownTool: false, batched: undefined, stop: undefined, known: true }
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
  run: RunContext,
  group: readonly PlacedCall[],
  runOne: (placed: PlacedCall) => Promise<CallEnd>,
): Promise<readonly CallEnd[]> {
  const runSafely = async (placed: PlacedCall) => {
    const end = await runOne(placed).catch((error) => brokenCall(run, placed.call, error))
    if (!end.known) run.session.journal?.write('result', { result: end.result })
    return end
  }
  const [only] = group
  if (only && group.length === 1) return [await runSafely(only)]
  const settled = await settleAll(group, runSafely, { limit: PARALLEL })
  return settled.flatMap((each) => (each.status === 'done' ? [each.value] : []))
}

/** The engine behind the steps has failed, or the loop itself. The call has a result, and the run ends. */
function brokenCall(run: RunContext, { id, name }: RequestedCall, error: unknown): CallEnd {
  const text = `${name} could not be brought to its end: ${messageOf(error)}`
  const content = [textBlock(text)]
  run.emit('tool_result', { tool_use_id: id, tool: name, is_error: true, content, executed: false, duration_ms: 0 })
  const result = Object.freeze({ callId: id, name, isError: true, content: Object.freeze(content) })
  return { result, unknownTool: false, batched: undefined, stop: undefined, broken: error }
}

/** How often each of the calls has come in a row, those before this turn included. */
function countRepeats(run: RunContext, calls: readonly RequestedCall[]): readonly number[] {
  return calls.map(({ name, input }) => {
    const call = JSON.stringify([name, input])
    run.repeated = { call, times: call === run.repeated.call ? run.repeated.times + 1 : 1 }
    return run.repeated.times
  })
}

function endAfter(run: RunContext, name: string, times: number, callEnd: CallEnd): RunEnd | undefined {
  const { unknownTool, stop, broken } = callEnd
  const { unknownToolsInARow, sameCallsInARow } = run.agent.limits
  run.unknownInARow = unknownTool ? run.unknownInARow + 1 : 0
  if (broken !== undefined) return failedEnd('error', 'internal', `The run failed: ${messageOf(broken)}`)
  if (stop) return stoppedBy(stop)
  if (run.unknownInARow >= unknownToolsInARow) {
    const text = `The model called tools that do not exist ${run.unknownInARow} times in a row.`
    return failedEnd('error', 'unknown_tools', text)
  }
  if (times < sameCallsInARow) return undefined
  return failedEnd('error', 'repetition', `The model made the same call of ${name} ${sameCallsInARow} times in a row.`)
}

function sourceOf(toolbox: Toolbox, name: string): { readonly server?: string; readonly tool: string } {
  const source = toolbox.find(name)?.source
  if (!source) return { tool: name }
  return { ...(source.server === undefined ? {} : { server: source.server }), tool: source.tool }
}
