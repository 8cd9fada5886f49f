import { describe, isMap } from '@ext/kernel'
import type { ContentBlock, ToolResult } from '@ext/kernel/contract'
import type { Completion, PromptResult } from '../offered.js'
import { failure } from './failure.js'
import { isBlock, toBlock } from './read.js'

const MAX_MESSAGES = 1000
const MAX_VALUES = 100
const MAX_VALUE = 1024

/** The answer to `resources/read` as content. Nothing in it can make this fail. */
export function toContents(server: string, sent: unknown): ToolResult {
  const contents = isMap(sent) ? sent['contents'] : sent
  if (!Array.isArray(contents)) return notMcp(server, contents, 'the contents of a resource belong')
  return { content: contents.map(toResourceBlock), isError: false }
}

/** A part that is none becomes a word about it. */
function toResourceBlock(sent: unknown): ContentBlock {
  const { uri, mimeType, text, blob } = isMap(sent) ? sent : {}
  const block = {
    type: 'resource',
    resource: {
      uri,
      ...(typeof mimeType === 'string' ? { mimeType } : {}),
      ...(text === undefined ? { blob } : { text }),
    },
  }
  if (isBlock(block) && (text !== undefined || blob !== undefined)) return block
  return { type: 'text', text: `[left out: ${describe(sent)} instead of a part of a resource]` }
}

/** The answer to `prompts/get`. */
export function toPrompt(server: string, sent: unknown): PromptResult {
  const messages = isMap(sent) ? sent['messages'] : sent
  if (!isMap(sent) || !Array.isArray(messages))
    return { failed: notMcp(server, messages, 'the messages of a prompt belong') }
  const { description } = sent
  return {
    ...(typeof description === 'string' ? { description } : {}),
    messages: messages.slice(0, MAX_MESSAGES).map((message) => {
      const { role, content } = isMap(message) ? message : {}
      // One block by the revisions so far; some servers send a list.
      const blocks: readonly unknown[] = Array.isArray(content) ? content : [content]
      return { role: role === 'assistant' ? role : 'user', content: blocks.map(toBlock) }
    }),
  }
}

/** The answer to `completion/complete`. */
export function toCompletion(server: string, sent: unknown): Completion {
  const completion = isMap(sent) ? sent['completion'] : sent
  const { values, total, hasMore } = isMap(completion) ? completion : {}
  if (!Array.isArray(values)) return { values: [], hasMore: false, failed: notMcp(server, values, 'values belong') }
  const texts = values.filter((value): value is string => typeof value === 'string' && value.length <= MAX_VALUE)
  return {
    values: texts.slice(0, MAX_VALUES),
    ...(typeof total === 'number' ? { total } : {}),
    hasMore: hasMore === true || texts.length > MAX_VALUES,
  }
}

function notMcp(server: string, sent: unknown, where: string): ToolResult {
  const text = `The server \`${server}\` sent ${describe(sent)} where ${where}.`
  return failure({
    server,
    phase: 'call',
    kind: 'protocol',
    text,
    hint: 'The server has to be fixed; go on without it.',
  })
}
