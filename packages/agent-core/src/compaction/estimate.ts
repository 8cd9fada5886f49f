import type { ContentBlock, Message } from '@ext/kernel/contract'
import type { RunContext, SessionState } from '../run-context.js'

/** English text in common models has about four bytes a token; nobody knows better before the model has counted. */
const BYTES_PER_TOKEN = 4
/** About what an image or a piece of sound counts, however many bytes it has. */
const MEDIA_TOKENS = 1600
/** Role, ids and marks around a message. */
const FRAME_TOKENS = 4

/** Tokens of a text, as far as its length tells. */
export function textTokens(text: string): number {
  // Beyond ASCII a character has more bytes and more tokens.
  let wide = 0
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) wide++
  return Math.ceil((text.length + 2 * wide) / BYTES_PER_TOKEN)
}

export function messageTokens(message: Message): number {
  switch (message.role) {
    case 'user':
      return FRAME_TOKENS + blocksTokens(message.content)
    case 'assistant':
      return message.calls.reduce(
        (sum, { name, input }) => sum + FRAME_TOKENS + textTokens(name) + textTokens(JSON.stringify(input)),
        FRAME_TOKENS + textTokens(message.text),
      )
    case 'tool':
      return message.results.reduce((sum, { content }) => sum + FRAME_TOKENS + blocksTokens(content), 0)
  }
}

export function messagesTokens(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0)
}

function blocksTokens(content: readonly ContentBlock[]): number {
  return content.reduce((sum, block) => sum + blockTokens(block), 0)
}

function blockTokens(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
      return textTokens(block.text)
    case 'image':
    case 'audio':
      return MEDIA_TOKENS
    case 'resource':
      return textTokens(`${block.resource.uri}${block.resource.text ?? ''}`)
    case 'resource_link':
      return textTokens(`${block.uri}${block.name}${block.description ?? ''}`)
  }
}

/** What every request has besides the conversation. */
export function frameTokens({ system, prefix, instructions, toolbox }: SessionState): number {
  const tools = toolbox ? JSON.stringify(toolbox.specs) : ''
  return textTokens(system ?? `${prefix}${instructions ?? ''}`) + textTokens(tools)
}

/**
 * Tokens of the conversation with all that goes with it: what the model has counted last, and an estimate of what came since.
 * Only what is new is looked at.
 */
export function tokensNow({ session }: Pick<RunContext, 'session'>): number {
  const { messages } = session
  const known = session.measured ?? { tokens: frameTokens(session), messages: 0 }
  const tokens = known.tokens + messagesTokens(messages.slice(known.messages))
  session.measured = { tokens, messages: messages.length }
  return tokens
}
