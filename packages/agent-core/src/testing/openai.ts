import { isMap } from '@ext/kernel'
import type { ContentBlock, JsonObject, Message, ToolMessageResult } from '@ext/kernel/contract'
import type { ModelErrorKind } from '../model-error.js'
import type { ModelEvent } from '../types.js'
import { type Answer, inputText, maps, parseJson, pieces, textBlocks, textOr, toInput, type Wire } from './wire.js'

type Block = Readonly<Record<string, unknown>>

/** OpenAI's chat completions (platform.openai.com: Chat, Streaming, Error codes), as far as scripts need it. */
export const openaiWire: Wire = {
  problem(body) {
    const messages = maps(body['messages'])
    if (messages.length === 0) return "Invalid 'messages': empty array."
    return badCalls(messages)
  },
  parse(body) {
    const system: string[] = []
    const messages: Message[] = []
    const names = new Map<string, string>()
    for (const message of maps(body['messages'])) {
      const { role, content } = message
      if (role === 'system' || role === 'developer') system.push(textOr(content))
      else if (role === 'assistant') messages.push(assistantMessage(message, names))
      else if (role === 'tool') addResult(messages, message, names)
      else messages.push({ role: 'user', content: contentBlocks(content) })
    }
    const tools = maps(body['tools']).map(({ function: spec }) => {
      const { name, description, parameters } = isMap(spec) ? spec : {}
      return { name: textOr(name), description: textOr(description), inputSchema: toInput(parameters) }
    })
    return { system: system.join('\n'), messages, tools }
  },
  answer: (body, send) => createAnswer(textOr(body['model']), send),
  failure(kind, message) {
    const [status, type, code] = STATUS[kind]
    return { status, body: { error: { message, type, param: null, code } } }
  },
  inBand(kind, message) {
    const [, type, code] = STATUS[kind]
    return frame({ error: { message, type, param: null, code } })
  },
}

const STATUS: Readonly<Record<ModelErrorKind, readonly [number, string, string | null]>> = {
  overloaded: [503, 'server_error', null],
  rate_limit: [429, 'requests', 'rate_limit_exceeded'],
  authentication: [401, 'invalid_request_error', 'invalid_api_key'],
  context_length: [400, 'invalid_request_error', 'context_length_exceeded'],
  invalid_request: [400, 'invalid_request_error', null],
  network: [500, 'server_error', null],
  no_answer: [500, 'server_error', null],
  unknown: [418, 'unheard_of_error', null],
}

/** Every call must be followed by its result. */
function badCalls(messages: readonly Block[]): string | undefined {
  for (const [index, message] of messages.entries()) {
    const ids = maps(message['tool_calls']).map(({ id }) => id)
    const behind = messages.slice(index + 1, index + 1 + ids.length)
    if (ids.some((id, at) => behind[at]?.['tool_call_id'] !== id)) {
      return "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
    }
  }
  return undefined
}

function assistantMessage({ content, tool_calls: list }: Block, names: Map<string, string>): Message {
  const calls = maps(list).map(({ id, function: called }) => {
    const { name, arguments: json } = isMap(called) ? called : {}
    names.set(textOr(id), textOr(name))
    return { id: textOr(id), name: textOr(name), input: toInput(parseJson(textOr(json))) }
  })
  return { role: 'assistant', text: textOr(content), calls }
}

/** The format has no place for errors, so their text says it. */
const ERROR = /^\[error\] /

function addResult(
  messages: Message[],
  { tool_call_id: id, content }: Block,
  names: ReadonlyMap<string, string>,
): void {
  const text = textOr(content)
  const result: ToolMessageResult = {
    callId: textOr(id),
    name: names.get(textOr(id)) ?? '',
    isError: ERROR.test(text),
    content: textBlocks(text.replace(ERROR, '')),
  }
  const last = messages.at(-1)
  if (last?.role === 'tool') messages[messages.length - 1] = { role: 'tool', results: [...last.results, result] }
  else messages.push({ role: 'tool', results: [result] })
}

function contentBlocks(content: unknown): readonly ContentBlock[] {
  if (typeof content === 'string') return textBlocks(content)
  return maps(content).flatMap(({ type, text, image_url: image }): readonly ContentBlock[] => {
    if (type === 'text') return textBlocks(textOr(text))
    const [, mimeType, data] = textOr(isMap(image) ? image['url'] : '').match(/^data:([^;]+);base64,(.*)$/) ?? []
    return mimeType === undefined || data === undefined ? [] : [{ type: 'image', mimeType, data }]
  })
}

function frame(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

function createAnswer(model: string, send: (frame: string) => void): Answer {
  let calls = 0
  let usage: JsonObject | undefined
  const common = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_800_000_000, model }
  const chunk = (delta: JsonObject, finish: string | null = null) =>
    send(frame({ ...common, choices: [{ index: 0, delta, finish_reason: finish }] }))
  let begun = false
  const begin = () => {
    if (!begun) chunk({ role: 'assistant', content: '' })
    begun = true
  }
  return {
    add(part: ModelEvent) {
      begin()
      if (part.type === 'reasoning') for (const text of pieces(part.text)) chunk({ reasoning_content: text })
      else if (part.type === 'text') for (const content of pieces(part.text)) chunk({ content })
      else if (part.type === 'tool_call') {
        const index = calls++
        const called = { name: part.name, arguments: '' }
        chunk({ tool_calls: [{ index, id: part.id, type: 'function', function: called }] })
        for (const text of pieces(inputText(part.input)))
          chunk({ tool_calls: [{ index, function: { arguments: text } }] })
      } else if (part.type === 'usage') {
        usage = {
          prompt_tokens: part.inputTokens,
          completion_tokens: part.outputTokens,
          total_tokens: part.inputTokens + part.outputTokens,
        }
      }
    },
    end() {
      begin()
      chunk({}, calls > 0 ? 'tool_calls' : 'stop')
      if (usage) send(frame({ ...common, choices: [], usage }))
      send('data: [DONE]\n\n')
    },
  }
}
