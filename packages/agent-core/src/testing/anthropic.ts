import { isMap } from '@ext/kernel'
import type { ContentBlock, JsonObject, Message, ToolMessageResult } from '@ext/kernel/contract'
import type { ModelErrorKind } from '../model-error.js'
import type { ModelEvent } from '../types.js'
import { type Answer, inputText, maps, pieces, textBlocks, textOr, toInput, type Wire } from './wire.js'

type Block = Readonly<Record<string, unknown>>

/** Anthropic's messages API (docs.anthropic.com: Messages, Streaming Messages, Errors), as far as scripts need it. */
export function anthropicWire(): Wire {
  /** Calls that the model thought before. */
  const thoughtful = new Set<string>()
  return {
    problem(body) {
      const messages = maps(body['messages'])
      if (typeof body['max_tokens'] !== 'number') return 'max_tokens: Field required'
      if (messages.at(-1)?.['role'] !== 'user') return 'The conversation must end with a user message.'
      return withoutThoughts(messages, thoughtful) ?? badBlock(messages)
    },
    parse(body) {
      const names = new Map<string, string>()
      const messages = maps(body['messages']).flatMap(({ role, content }) => {
        const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : maps(content)
        return role === 'assistant' ? [assistantMessage(blocks, names)] : userMessages(blocks, names)
      })
      const system = typeof body['system'] === 'string' ? body['system'] : textIn(maps(body['system']))
      const tools = maps(body['tools']).map(({ name, description, input_schema: schema }) => ({
        name: textOr(name),
        description: textOr(description),
        inputSchema: toInput(schema),
      }))
      return { system, messages, tools }
    },
    answer: (body, send) => createAnswer(textOr(body['model']), send, thoughtful),
    failure(kind, message) {
      const [status, type] = STATUS[kind]
      return { status, body: errorBody(type, wording(kind, message)) }
    },
    inBand: (kind, message) => frame('error', errorBody(STATUS[kind][1], wording(kind, message))),
  }
}

const STATUS: Readonly<Record<ModelErrorKind, readonly [number, string]>> = {
  overloaded: [529, 'overloaded_error'],
  rate_limit: [429, 'rate_limit_error'],
  authentication: [401, 'authentication_error'],
  context_length: [400, 'invalid_request_error'],
  invalid_request: [400, 'invalid_request_error'],
  network: [500, 'api_error'],
  no_answer: [500, 'api_error'],
  unknown: [418, 'unheard_of_error'],
}

/** Nothing but the text says that a request is too long. */
function wording(kind: ModelErrorKind, message: string): string {
  return kind === 'context_length' ? `prompt is too long: 210000 tokens > 200000 maximum (${message})` : message
}

function errorBody(type: string, message: string): JsonObject {
  return { type: 'error', error: { type, message } }
}

/** As the API does it: a model that thinks must find the thoughts of the turn that it is in. */
function withoutThoughts(messages: readonly Block[], thoughtful: ReadonlySet<string>): string | undefined {
  const index = messages.findLastIndex(({ role }) => role === 'assistant')
  const blocks = maps(messages[index]?.['content'])
  const isForged = ({ type, thinking, signature }: Block) =>
    type === 'thinking' && signature !== signatureOf(textOr(thinking))
  if (blocks.some(isForged)) return `messages.${index}: Invalid \`signature\` in \`thinking\` block`
  const isThoughtful = blocks.some(({ type, id }) => type === 'tool_use' && thoughtful.has(textOr(id)))
  const first = blocks[0]?.['type']
  if (!isThoughtful || first === 'thinking') return undefined
  return `messages.${index}.content.0.type: Expected \`thinking\`, but found \`${first}\``
}

/** Stands in for a signature: nobody can send another text with it. */
function signatureOf(text: string): string {
  return `signed:${text.length}:${text}`
}

/** What the API refuses a whole conversation for. */
function badBlock(messages: readonly Block[]): string | undefined {
  for (const [index, { content }] of messages.entries()) {
    for (const block of maps(content)) {
      if (block['type'] === 'text' && textOr(block['text']).trim() === '') {
        return `messages.${index}: text content blocks must contain non-whitespace text`
      }
      const id = block['type'] === 'tool_use' ? block['id'] : block['tool_use_id']
      if (id !== undefined && !/^[\w-]+$/.test(String(id)))
        return `messages.${index}: String should match '^[a-zA-Z0-9_-]+$'`
    }
  }
  return undefined
}

function assistantMessage(blocks: readonly Block[], names: Map<string, string>): Message {
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }) => ({ id: textOr(id), name: textOr(name), input: toInput(input) }))
  for (const { id, name } of calls) names.set(id, name)
  return { role: 'assistant', text: textIn(blocks), calls }
}

function userMessages(blocks: readonly Block[], names: Map<string, string>): readonly Message[] {
  const results = blocks.filter(({ type }) => type === 'tool_result').map((block) => result(block, names))
  const content = blocks.flatMap(contentBlock)
  return [
    ...(results.length === 0 ? [] : [{ role: 'tool', results } as const]),
    ...(content.length === 0 ? [] : [{ role: 'user', content } as const]),
  ]
}

function result({ tool_use_id: id, content, is_error: isError }: Block, names: Map<string, string>): ToolMessageResult {
  return {
    callId: textOr(id),
    name: names.get(textOr(id)) ?? '',
    isError: isError === true,
    content: typeof content === 'string' ? textBlocks(content) : maps(content).flatMap(contentBlock),
  }
}

function contentBlock({ type, text, source }: Block): readonly ContentBlock[] {
  if (type === 'text') return [{ type: 'text', text: textOr(text) }]
  if (type !== 'image' || !isMap(source)) return []
  return [{ type: 'image', data: textOr(source['data']), mimeType: textOr(source['media_type']) }]
}

function textIn(blocks: readonly Block[]): string {
  return blocks.map(({ type, text }) => (type === 'text' ? textOr(text) : '')).join('')
}

function frame(event: string, data: JsonObject): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

function createAnswer(model: string, send: (frame: string) => void, thoughtful: Set<string>): Answer {
  let index = 0
  let begun = false
  let called = false
  let thought = false
  let usage: JsonObject = { output_tokens: 0 }
  const event = (type: string, data: JsonObject) => send(frame(type, { type, ...data }))
  const begin = () => {
    if (begun) return
    begun = true
    const start = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], stop_reason: null }
    event('message_start', { message: { ...start, usage: { input_tokens: 0, output_tokens: 1 } } })
    event('ping', {})
  }
  const block = (content: JsonObject, deltas: readonly JsonObject[]) => {
    begin()
    event('content_block_start', { index, content_block: content })
    for (const delta of deltas) event('content_block_delta', { index, delta })
    event('content_block_stop', { index: index++ })
  }
  return {
    add(part: ModelEvent) {
      if (part.type === 'reasoning') {
        thought = true
        const texts = pieces(part.text).map((thinking) => ({ type: 'thinking_delta', thinking }))
        const signature = { type: 'signature_delta', signature: signatureOf(part.text) }
        block({ type: 'thinking', thinking: '' }, [...texts, signature])
      } else if (part.type === 'text') {
        const texts = pieces(part.text).map((text) => ({ type: 'text_delta', text }))
        block({ type: 'text', text: '' }, texts)
      } else if (part.type === 'tool_call') {
        called = true
        if (thought) thoughtful.add(part.id)
        const texts = pieces(inputText(part.input)).map((text) => ({ type: 'input_json_delta', partial_json: text }))
        block({ type: 'tool_use', id: part.id, name: part.name, input: {} }, texts)
      } else if (part.type === 'usage') {
        usage = { input_tokens: part.inputTokens, output_tokens: part.outputTokens }
      }
    },
    end() {
      begin()
      event('message_delta', { delta: { stop_reason: called ? 'tool_use' : 'end_turn', stop_sequence: null }, usage })
      event('message_stop', {})
    },
  }
}
