import { isMap } from '@ext/kernel'
import type { ContentBlock, JsonObject, JsonSchema } from '@ext/kernel/contract'
import type { SamplingAnswer, SamplingContent, SamplingMessage, SamplingRequest } from '../asked.js'
import { isBlock } from '../results/read.js'
import { invalid } from './form.js'

/** What a model is sent for a server costs the person, so it has a limit. In characters of JSON. */
const MAX_REQUEST = 1024 * 1024
const MAX_MESSAGES = 1000

/**
 * Reads what `sampling/createMessage` asks for (MCP 2025-11-25). `includeContext` and `metadata` are not read: nothing of
 * other conversations is ever sent along.
 * @throws RpcError for what is none, or what a client without tools must refuse
 */
export function readSampling(
  params: unknown,
  allowed: { readonly maxTokens: number; readonly tools: boolean },
): SamplingRequest {
  if (!isMap(params)) throw invalid('there are none')
  if (JSON.stringify(params).length > MAX_REQUEST) throw invalid(`they have more than ${MAX_REQUEST} characters`)
  const { messages, systemPrompt, maxTokens, temperature, stopSequences, modelPreferences } = params
  if (!Array.isArray(messages) || messages.length === 0) throw invalid('`messages` is no list with something in it')
  if (messages.length > MAX_MESSAGES) throw invalid(`there are more than ${MAX_MESSAGES} messages`)
  if (typeof maxTokens !== 'number' || !(maxTokens >= 1)) throw invalid('`maxTokens` is not a number from 1')
  const hasTools = params['tools'] !== undefined || params['toolChoice'] !== undefined
  if (hasTools && !allowed.tools) throw invalid('tools are not supported here')
  return {
    messages: messages.map((message) => readMessage(message, allowed.tools)),
    ...(typeof systemPrompt === 'string' ? { systemPrompt } : {}),
    maxTokens: Math.min(Math.floor(maxTokens), allowed.maxTokens),
    ...(typeof temperature === 'number' ? { temperature } : {}),
    ...(isTexts(stopSequences) ? { stopSequences } : {}),
    ...(isMap(modelPreferences) ? { modelPreferences: modelPreferences as JsonObject } : {}),
    ...(hasTools ? readTools(params) : {}),
  }
}

function readMessage(message: unknown, tools: boolean): SamplingMessage {
  const { role, content } = isMap(message) ? message : {}
  if (role !== 'user' && role !== 'assistant') throw invalid('the `role` of a message is not user or assistant')
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content]
  return { role, content: blocks.map((block) => readContent(block, tools)) }
}

function readContent(block: unknown, tools: boolean): SamplingContent {
  if (isBlock(block) && (block.type === 'text' || block.type === 'image' || block.type === 'audio')) return block
  if (tools && isMap(block)) {
    const { type, id, name, input, toolUseId, content, isError } = block
    if (type === 'tool_use' && typeof id === 'string' && typeof name === 'string' && isMap(input)) {
      return { type, id, name, input: input as JsonObject }
    }
    if (type === 'tool_result' && typeof toolUseId === 'string' && Array.isArray(content) && content.every(isBlock)) {
      return { type, toolUseId, content: content as readonly ContentBlock[], ...(isError === true ? { isError } : {}) }
    }
  }
  throw invalid('a message has content that can not be sent to a model here')
}

function readTools({
  tools = [],
  toolChoice,
}: Readonly<Record<string, unknown>>): Pick<SamplingRequest, 'tools' | 'toolChoice'> {
  if (!Array.isArray(tools)) throw invalid('`tools` is no list')
  const mode = isMap(toolChoice) ? toolChoice['mode'] : undefined
  return {
    tools: tools.map((tool) => {
      const { name, description, inputSchema } = isMap(tool) ? tool : {}
      if (typeof name !== 'string' || !isMap(inputSchema)) throw invalid('a tool has no name or no schema')
      return {
        name,
        description: typeof description === 'string' ? description : '',
        inputSchema: inputSchema as JsonSchema,
      }
    }),
    toolChoice: mode === 'required' || mode === 'none' ? mode : 'auto',
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

/** What keeps an answer from being sent, as the rest of a sentence; `undefined` if nothing does. */
export function answerFault({ content, model }: SamplingAnswer, request: SamplingRequest): string | undefined {
  if (content.length === 0) return 'has no content'
  if (model === '') return 'does not say which model it comes from'
  if (!request.tools?.length && content.some(({ type }) => type === 'tool_use'))
    return 'calls a tool that was not offered'
  return undefined
}

export function toSamplingResult({ content, model, stopReason = 'endTurn' }: SamplingAnswer): JsonObject {
  // Revisions before 2025-11-25 know one block only.
  const [only] = content
  return { role: 'assistant', content: (content.length === 1 ? only : content) as JsonObject, model, stopReason }
}
