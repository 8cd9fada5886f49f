import { isMap } from '@ext/kernel'
import type { EventResult, JsonObject, JsonValue, Message, ModelRequest, ToolCall } from '@ext/kernel/contract'
import { textBlock } from './call/content.js'
import { receive } from './json.js'
import { attributed, fire, stoppedBy } from './lifecycle.js'
import { messagesProblem } from './messages.js'
import type { Reply } from './model-stream.js'
import type { RunContext, RunEnd } from './run-context.js'
import { failedEnd } from './run-context.js'
import { addMessage } from './sessions/conversation.js'

/** What a hook made of something: it goes on in this form, or the run ends. */
export type Passed<T> =
  | { readonly value: T; readonly end?: undefined }
  | { readonly value?: undefined; readonly end: RunEnd }

/**
 * BeforeModel: hooks may add to a request, change it for this one time, or refuse it.
 * @param place where in the run it is fired
 */
export async function beforeModel(
  run: RunContext,
  request: ModelRequest,
  place: string | number = run.turns,
): Promise<Passed<ModelRequest>> {
  const { signal, spent, turns } = run
  const result = await fire(
    run,
    'BeforeModel',
    () => ({
      iteration: turns,
      model: run.model.id,
      // Its parts are frozen; the list of messages is not, since models read a plain one several times faster.
      request: { ...request, messages: [...request.messages] },
      totals: {
        tokens: spent.inputTokens + spent.outputTokens,
        cost_usd: spent.costUsd ?? 0,
        turns: turns - 1,
      },
    }),
    { signal, place },
  )
  const end = endOf(run, result, 'the model call')
  if (end) return { end }
  const asked = withContext(run, request, result)
  return { value: result.updatedRequest ? changeRequest(run, asked, result.updatedRequest) : asked }
}

/** What hooks add stays in the conversation, as what they add elsewhere does. */
function withContext(run: RunContext, request: ModelRequest, { context }: EventResult): ModelRequest {
  if (context.length === 0) return request
  for (const { by, text } of context) run.emit('context', { by, place: 'turn', text })
  const blocks = context.map((each) => textBlock(attributed(each)))
  const message: Message = Object.freeze({ role: 'user', content: Object.freeze(blocks) })
  addMessage(run.session, message)
  return { ...request, messages: [...request.messages, message] }
}

function changeRequest(
  run: RunContext,
  request: ModelRequest,
  { by, request: parts }: NonNullable<EventResult['updatedRequest']>,
): ModelRequest {
  const ignore = (what: string) => run.emit('notice', { by, text: `ignored: its change of the request: ${what}` })
  const { value: received, problem: unreadable } = receive(parts)
  if (unreadable !== undefined) {
    ignore(`it ${unreadable}`)
    return request
  }
  const changed: { -readonly [K in keyof ModelRequest]?: ModelRequest[K] } = {}
  for (const [key, value] of Object.entries(received as JsonObject)) {
    if (key === 'system' && typeof value === 'string') changed.system = value
    else if (key === 'messages') {
      const problem = messagesProblem(value)
      if (problem === undefined) changed.messages = value as unknown as readonly Message[]
      else ignore(problem)
    } else if (key === 'tools' && Array.isArray(value)) {
      const names = value.map((tool: JsonValue) => (isMap(tool) ? tool['name'] : tool))
      changed.tools = request.tools.filter(({ name }) => names.includes(name))
    } else ignore(`\`${key}\` must be \`system\` (a text), \`messages\` or \`tools\` (lists); it is not`)
  }
  const names = Object.keys(changed)
  if (names.length === 0) return request
  run.emit('changed', { by, what: 'request', original: names })
  return { ...request, ...changed }
}

/** AfterModel: hooks may replace what the model said before anything comes of it, or drop it. */
export async function afterModel(
  run: RunContext,
  reply: Reply,
  place: string | number = run.turns,
): Promise<Passed<Reply>> {
  const { signal, turns } = run
  const { durationMs, firstMs, inputTokens, outputTokens, costUsd } = reply
  const response = () => Object.freeze({ text: reply.text, calls: Object.freeze(reply.calls.map(toToolCall)) })
  const result = await fire(
    run,
    'AfterModel',
    () => ({
      iteration: turns,
      model: run.model.id,
      response: response(),
      usage: { input_tokens: inputTokens, output_tokens: outputTokens },
      duration_ms: durationMs,
      ...(firstMs === undefined ? {} : { ttft_ms: firstMs }),
      ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
    }),
    { signal, place },
  )
  run.session.pending.push(...result.context)
  const end = endOf(run, result, 'the answer of the model')
  if (end) return { end }
  const update = result.updatedResponse
  if (!update) return { value: reply }
  const { value: received, problem } = receive(update.response)
  const { text, calls } = (received ?? { text: null }) as JsonObject
  if ((text !== undefined && typeof text !== 'string') || (calls !== undefined && !isCallList(calls))) {
    const wanted = problem === undefined ? RESPONSE_PARTS : `it ${problem}`
    run.emit('notice', { by: update.by, text: `ignored: its change of the answer: ${wanted}` })
    return { value: reply }
  }
  run.emit('changed', {
    by: update.by,
    what: 'response',
    original: { text: reply.text, calls: response().calls.map((call) => ({ ...call })) },
  })
  return { value: { ...reply, text: text ?? reply.text, calls: calls ?? reply.calls } }
}

const RESPONSE_PARTS = '`text` must be a text, and `calls` a list of {id, name, input}, each with an id of its own'

function endOf(run: RunContext, { block, stop }: EventResult, what: string): RunEnd | undefined {
  if (stop) return stoppedBy(stop)
  if (!block) return undefined
  run.emit('notice', { by: block.by, text: `refused ${what}: ${block.reason}` })
  const { notice: _, ...end } = failedEnd('blocked', 'blocked', attributed({ by: block.by, text: block.reason }))
  return end
}

function isCallList(value: JsonValue): value is readonly (ToolCall & JsonObject)[] {
  const isCall = (call: JsonValue) =>
    isMap(call) &&
    typeof call['id'] === 'string' &&
    call['id'] !== '' &&
    typeof call['name'] === 'string' &&
    call['input'] !== undefined
  return Array.isArray(value) && value.every(isCall) && new Set(value.map(idOf)).size === value.length
}

function idOf(call: JsonValue): unknown {
  return isMap(call) ? call['id'] : undefined
}

const NO_INPUT: JsonObject = Object.freeze({})

/** What is not an object is rejected with a message; the conversation needs an object in its place. */
export function toToolCall({ id, name, input }: { id: string; name: string; input: unknown }): ToolCall {
  return Object.freeze({ id, name, input: isMap(input) ? (input as JsonObject) : NO_INPUT })
}
