import { describe, isMap } from '@ext/kernel'
import type { ContentBlock, JsonValue, ToolResult } from '@ext/kernel/contract'
import { isDeeperThan } from '../depth.js'
import { failure } from './failure.js'
import { oncePerMedium } from './media.js'

/** Deeper than this, programs that walk through it overflow their stack. */
const MAX_DEPTH = 500

/** A result as the server sent it becomes one that agents know. Nothing in it can make this fail. */
export function toResult(server: string, sent: unknown): ToolResult {
  if (isDeeperThan(sent, MAX_DEPTH)) {
    return failure({
      server,
      phase: 'call',
      kind: 'protocol',
      text: `The server \`${server}\` sent a result that is nested more than ${MAX_DEPTH} deep.`,
      hint: 'The call may have taken effect; ask for less at a time.',
    })
  }
  const blocks = isMap(sent) ? (sent['content'] ?? []) : sent
  if (!isMap(sent) || !Array.isArray(blocks)) {
    return failure({
      server,
      phase: 'call',
      kind: 'protocol',
      text: `The server \`${server}\` sent ${describe(blocks)} where the list of content belongs.`,
      hint: 'The call may have taken effect; the server has to be fixed.',
    })
  }
  const isError = sent['isError'] === true
  const { content, structured } = oncePerMedium({
    content: blocks.map(toBlock),
    structured: sent['structuredContent'] as JsonValue | undefined,
  })
  return {
    content: content.length > 0 ? content : textFor(structured, isError),
    isError,
    ...(structured === undefined ? {} : { structured }),
    ...(isError ? { meta: { server, phase: 'call', kind: 'remote', hint: REMOTE_HINT } } : {}),
  }
}

const REMOTE_HINT = 'The tool itself says what went wrong.'

/** A model sees content only. */
function textFor(structured: JsonValue | undefined, isError: boolean): readonly ContentBlock[] {
  if (structured !== undefined) return [{ type: 'text', text: JSON.stringify(structured) }]
  return isError ? [{ type: 'text', text: 'The tool failed and said nothing about it.' }] : []
}

/** Known blocks pass as they are, with all their fields. */
export function toBlock(block: unknown): ContentBlock {
  return isBlock(block) ? block : { type: 'text', text: placeholder(block) }
}

export function isBlock(block: unknown): block is ContentBlock {
  if (!isMap(block)) return false
  const texts = (...keys: readonly string[]) => keys.every((key) => typeof block[key] === 'string')
  switch (block['type']) {
    case 'text':
      return texts('text')
    case 'image':
    case 'audio':
      return texts('data', 'mimeType')
    case 'resource_link':
      return texts('uri', 'name')
    case 'resource':
      return isMap(block['resource']) && isResource(block['resource'])
    default:
      return false
  }
}

function isResource({ uri, text, blob }: Readonly<Record<string, unknown>>): boolean {
  const isText = (value: unknown) => value === undefined || typeof value === 'string'
  return typeof uri === 'string' && isText(text) && isText(blob)
}

function placeholder(block: unknown): string {
  if (!isMap(block)) return `[left out: ${describe(block)} instead of content]`
  const fields = Object.keys(block).filter((key) => key !== 'type')
  return `[left out: content of type ${JSON.stringify(block['type'])} with the fields ${fields.join(', ')}]`
}
