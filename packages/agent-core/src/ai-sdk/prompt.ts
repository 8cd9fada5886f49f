import type { LanguageModelV3FilePart, LanguageModelV3Message, LanguageModelV3TextPart } from '@ai-sdk/provider'
import type { ContentBlock, Message, ToolCall } from '@ext/kernel/contract'
import { withoutUnreadable } from '../call/for-model.js'
import type { ModelLimits } from '../types.js'
import { blockText } from './blocks.js'
import { isAsKept, type KeptPart, keptParts } from './kept.js'
import { callIds, toolName, wellFormed } from './names.js'
import { toolMessages } from './results.js'
import type { Traits } from './traits.js'

type Assistant = Extract<LanguageModelV3Message, { role: 'assistant' }>
type UserPart = LanguageModelV3TextPart | LanguageModelV3FilePart

/** What the conversion needs to know of the model. */
export interface PromptContext {
  readonly limits: ModelLimits
  readonly traits: Traits
  /** Who may read what was kept of earlier answers; `undefined`: nobody. */
  readonly reader: string | undefined
}

/** A conversation in the form of the AI SDK. It holds nothing that a provider would refuse the whole request for. */
export function toPrompt(
  system: string,
  messages: readonly Message[],
  context: PromptContext,
): readonly LanguageModelV3Message[] {
  const idOf = callIds(messages)
  const converted = messages.flatMap((message) => ofMessage(message, context, idOf))
  return system === '' ? converted : [{ role: 'system', content: wellFormed(system) }, ...converted]
}

function ofMessage(
  message: Message,
  context: PromptContext,
  idOf: (id: string) => string,
): readonly LanguageModelV3Message[] {
  const { limits, traits } = context
  if (message.role === 'user') return [{ role: 'user', content: userParts(message.content, limits) }]
  if (message.role === 'tool') return toolMessages(message.results, traits, idOf, (blocks) => userParts(blocks, limits))
  const content = assistantParts(message, context, idOf)
  return content.length === 0 ? [] : [{ role: 'assistant', content }]
}

/** Providers refuse a message of nothing. */
const NOTHING: UserPart = { type: 'text', text: '(empty)' }

function userParts(content: readonly ContentBlock[], limits: ModelLimits): UserPart[] {
  // Its size was checked when it came in.
  const readable = withoutUnreadable(content, limits, Number.POSITIVE_INFINITY)
  const parts = readable.map(userPart).filter((part) => part.type !== 'text' || part.text.trim() !== '')
  return parts.length === 0 ? [NOTHING] : parts
}

function userPart(block: ContentBlock): UserPart {
  if (block.type === 'image' || block.type === 'audio') {
    return { type: 'file', mediaType: block.mimeType, data: block.data }
  }
  return { type: 'text', text: wellFormed(blockText(block)) }
}

function assistantParts(
  message: Extract<Message, { role: 'assistant' }>,
  { reader, traits }: PromptContext,
  idOf: (id: string) => string,
): Assistant['content'] {
  const kept = reader === undefined ? undefined : keptParts(message, reader)
  if (kept && isAsKept(message, kept)) return inPlace(message, kept, idOf)
  const thoughts = kept && traits.thoughtsStandAlone ? kept.filter(({ type }) => type === 'reasoning') : []
  const others = [{ type: 'text', length: message.text.length }, ...message.calls.map(() => CALL)] as const
  return inPlace(message, [...thoughts, ...others], idOf)
}

const CALL: KeptPart = { type: 'call' }

function inPlace(
  { text, calls }: Extract<Message, { role: 'assistant' }>,
  parts: readonly KeptPart[],
  idOf: (id: string) => string,
): Assistant['content'] {
  let at = 0
  let next = 0
  return parts.flatMap((part): Assistant['content'] => {
    const options = part.options ? { providerOptions: part.options } : {}
    if (part.type === 'reasoning') return [{ type: 'reasoning', text: part.text, ...options }]
    if (part.type === 'call') {
      const call = calls[next++]
      return call ? [{ ...callPart(call, idOf), ...options }] : []
    }
    const piece = text.slice(at, at + part.length)
    at += part.length
    return piece.trim() === '' ? [] : [{ type: 'text', text: wellFormed(piece), ...options }]
  })
}

function callPart({ id, name, input }: ToolCall, idOf: (id: string) => string) {
  return { type: 'tool-call', toolCallId: idOf(id), toolName: toolName(name), input } as const
}
