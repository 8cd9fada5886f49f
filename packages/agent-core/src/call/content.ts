import type { ContentBlock } from '@ext/kernel/contract'

export function textBlock(text: string): ContentBlock {
  return Object.freeze({ type: 'text', text })
}

/** All text in it, for messages and payloads. */
export function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => textIn(block) ?? []).join('\n')
}

/** More blocks than this no model needs, and each costs something on its way. */
const MAX_BLOCKS = 1000

/**
 * Cuts content at `maxBytes` of UTF-8 and says so. Texts are cut between two characters; what has other parts that are too
 * long is left out. Images and sound have a limit of their own.
 */
export function capContent(content: readonly ContentBlock[], maxBytes: number): readonly ContentBlock[] {
  // One UTF-16 unit is at most three bytes, so most results need not be encoded to know that they fit.
  const most = content.reduce((sum, block) => sum + lengthOf(block) * 3, 0)
  if (most <= maxBytes && content.length <= MAX_BLOCKS) return content
  const encoder = new TextEncoder()
  const scratch = new Uint8Array(Math.min(maxBytes, most))
  const sizeOf = (text: string) =>
    text.length * 3 <= scratch.length ? encoder.encodeInto(text, scratch).written : encoder.encode(text).length
  const kept: ContentBlock[] = []
  let total = 0
  let room = maxBytes
  for (const block of content) {
    const text = textIn(block) ?? ''
    const fixed = sizeOf(restOf(block))
    const size = sizeOf(text) + fixed
    total += size
    if (kept.length === MAX_BLOCKS || (room === 0 && size > 0)) continue
    if (fixed > room) {
      room = 0
      continue
    }
    room -= fixed
    // Stops in front of a character that does not fit whole.
    const { read, written } = encoder.encodeInto(text, scratch.subarray(0, room))
    room -= written
    if (read === text.length) kept.push(block)
    else {
      if (read > 0) kept.push(withText(block, text.slice(0, read)))
      room = 0
    }
  }
  if (kept.length === content.length && total <= maxBytes) return content
  const bytes = `${total} bytes of text`
  const note =
    content.length > MAX_BLOCKS
      ? `${bytes} in ${content.length} blocks, ${maxBytes} bytes and ${MAX_BLOCKS} blocks are the limits`
      : `${bytes}, ${maxBytes} are the limit`
  return [...kept, textBlock(`[cut: the result has ${note}]`)]
}

function lengthOf(block: ContentBlock): number {
  return (textIn(block)?.length ?? 0) + restOf(block).length
}

function textIn(block: ContentBlock): string | undefined {
  if (block.type === 'text') return block.text
  if (block.type === 'resource') return block.resource.text
  return undefined
}

/** What else of a block the model reads. */
function restOf(block: ContentBlock): string {
  if (block.type === 'resource') return block.resource.uri
  if (block.type === 'resource_link') return `${block.uri}${block.name}${block.description ?? ''}`
  return ''
}

function withText(block: ContentBlock, text: string): ContentBlock {
  if (block.type !== 'resource') return textBlock(text)
  return Object.freeze({ ...block, resource: Object.freeze({ ...block.resource, text }) })
}
