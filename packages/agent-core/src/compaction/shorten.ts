import { isMap } from '@ext/kernel'
import type { ContentBlock, JsonObject, JsonValue, Message } from '@ext/kernel/contract'

/** No text is cut below this. */
const LEAST = 200

/**
 * The longest that a text may be so that all together fit into `room`: short ones stay whole, and long ones share what is
 * left. `Infinity` when all fit as they are.
 */
export function fairLength(lengths: readonly number[], room: number): number {
  const ascending = [...lengths].sort((a, b) => a - b)
  let left = room
  for (const [index, length] of ascending.entries()) {
    const share = left / (ascending.length - index)
    if (length > share) return Math.max(LEAST, Math.floor(share))
    left -= length
  }
  return Number.POSITIVE_INFINITY
}

/** Beginning and end of a text, and between them how much is missing. Not longer than before. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text
  const half = Math.floor(most / 2)
  const head = wholeEnd(text.slice(0, half))
  const tail = wholeStart(text.slice(text.length - half))
  const note = `\n[cut: ${text.length - head.length - tail.length} of ${text.length} characters are left out here]\n`
  const short = `${head}${note}${tail}`
  return short.length < text.length ? short : text
}

/** Half of a character is none. */
function wholeEnd(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text
}

function wholeStart(text: string): string {
  return /^[\uDC00-\uDFFF]/.test(text) ? text.slice(1) : text
}

/** Cuts the longest texts of messages so that all of them together have about `room` characters. Says where it did. */
export function shortenMessages(messages: readonly Message[], room: number): readonly Message[] {
  const most = fairLength(
    messages.flatMap(textsIn).map(({ length }) => length),
    room,
  )
  if (most === Number.POSITIVE_INFINITY) return messages
  return messages.map((message) => shortenMessage(message, most))
}

function shortenMessage(message: Message, most: number): Message {
  if (!textsIn(message).some(({ length }) => length > most)) return message
  const short = (content: readonly ContentBlock[]) => Object.freeze(content.map((block) => shortenBlock(block, most)))
  switch (message.role) {
    case 'user':
      return Object.freeze({ ...message, content: short(message.content) })
    case 'assistant': {
      const calls = message.calls.map((call) =>
        Object.freeze({ ...call, input: shortenValue(call.input, most) as JsonObject }),
      )
      return Object.freeze({ ...message, text: shorten(message.text, most), calls: Object.freeze(calls) })
    }
    case 'tool': {
      const results = message.results.map((result) => Object.freeze({ ...result, content: short(result.content) }))
      return Object.freeze({ ...message, results: Object.freeze(results) })
    }
  }
}

function shortenBlock(block: ContentBlock, most: number): ContentBlock {
  if (block.type === 'text') return Object.freeze({ ...block, text: shorten(block.text, most) })
  if (block.type !== 'resource' || block.resource.text === undefined) return block
  return Object.freeze({
    ...block,
    resource: Object.freeze({ ...block.resource, text: shorten(block.resource.text, most) }),
  })
}

function shortenValue(value: JsonValue, most: number): JsonValue {
  if (typeof value === 'string') return shorten(value, most)
  if (Array.isArray(value)) return Object.freeze(value.map((part: JsonValue) => shortenValue(part, most)))
  if (!isMap(value)) return value
  const entries = Object.entries(value as JsonObject).map(([key, part]) => [key, shortenValue(part, most)] as const)
  return Object.freeze(Object.fromEntries(entries))
}

/** All that can be cut. */
function textsIn(message: Message): readonly string[] {
  if (message.role === 'assistant') return [message.text, ...message.calls.flatMap(({ input }) => stringsIn(input))]
  const blocks = message.role === 'user' ? message.content : message.results.flatMap(({ content }) => content)
  return blocks.flatMap((block) => {
    if (block.type === 'text') return [block.text]
    return block.type === 'resource' && block.resource.text !== undefined ? [block.resource.text] : []
  })
}

function stringsIn(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(stringsIn)
}
