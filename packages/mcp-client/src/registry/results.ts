import { describe, isMap } from '@ext/kernel'
import type { ContentBlock, JsonValue, ToolResult } from '@ext/kernel/contract'
import type { FailureKind } from '../types.js'

/** What was going on when it failed. */
type Phase = 'find' | 'connect' | 'call'

interface Failure {
  readonly server?: string
  readonly phase: Phase
  readonly kind: FailureKind
  /** One sentence about what happened. */
  readonly text: string
  /** What the model, or the person behind it, can do about it. */
  readonly hint: string
}

export function failure({ server, phase, kind, text, hint }: Failure): ToolResult {
  return {
    content: [{ type: 'text', text: `${text} ${hint}` }],
    isError: true,
    meta: { ...(server === undefined ? {} : { server }), phase, kind, hint },
  }
}

/** A result as the server sent it becomes one that agents know. Nothing in it can make this fail. */
export function toResult(server: string, sent: unknown): ToolResult {
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
  const structured = sent['structuredContent'] as JsonValue | undefined
  const content = blocks.map(toBlock)
  // A model sees content only.
  if (content.length === 0 && structured !== undefined) content.push({ type: 'text', text: JSON.stringify(structured) })
  const isError = sent['isError'] === true
  return {
    content,
    isError,
    ...(structured === undefined ? {} : { structured }),
    ...(isError ? { meta: { server, phase: 'call', kind: 'remote', hint: REMOTE_HINT } } : {}),
  }
}

const REMOTE_HINT = 'The tool itself says what went wrong.'

/** Known blocks pass as they are, with all their fields. */
function toBlock(block: unknown): ContentBlock {
  return isKnown(block) ? block : { type: 'text', text: placeholder(block) }
}

function isKnown(block: unknown): block is ContentBlock {
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
      return isMap(block['resource']) && typeof block['resource']['uri'] === 'string'
    default:
      return false
  }
}

function placeholder(block: unknown): string {
  if (!isMap(block)) return `[left out: ${describe(block)} instead of content]`
  const fields = Object.keys(block).filter((key) => key !== 'type')
  return `[left out: content of type ${JSON.stringify(block['type'])} with the fields ${fields.join(', ')}]`
}
