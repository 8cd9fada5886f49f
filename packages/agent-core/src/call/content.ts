import type { ContentBlock } from '@ext/kernel/contract'

export function textBlock(text: string): ContentBlock {
  return { type: 'text', text }
}

/** All text in it, for messages and payloads. */
export function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => textIn(block) ?? []).join('\n')
}

/** Cuts the text of a result at `maxBytes` of UTF-8 and says so. Blocks without text pass as they are. */
export function capText(content: readonly ContentBlock[], maxBytes: number): readonly ContentBlock[] {
  const texts = content.flatMap((block) => textIn(block) ?? [])
  // One UTF-16 unit is at most three bytes, so most results need not be encoded to know that they fit.
  if (texts.reduce((sum, text) => sum + text.length * 3, 0) <= maxBytes) return content
  const encoder = new TextEncoder()
  const total = texts.reduce((sum, text) => sum + encoder.encode(text).length, 0)
  if (total <= maxBytes) return content
  let room = maxBytes
  const kept: ContentBlock[] = []
  for (const block of content) {
    const text = textIn(block)
    if (text === undefined) {
      kept.push(block)
      continue
    }
    // Stops in front of a character that does not fit whole.
    const { read, written } = encoder.encodeInto(text, new Uint8Array(room))
    room -= written
    if (read > 0) kept.push(withText(block, text.slice(0, read)))
    if (read < text.length) room = 0
  }
  return [...kept, textBlock(`[cut: the result has ${total} bytes of text, ${maxBytes} are the limit]`)]
}

function textIn(block: ContentBlock): string | undefined {
  if (block.type === 'text') return block.text
  if (block.type === 'resource') return block.resource.text
  return undefined
}

function withText(block: ContentBlock, text: string): ContentBlock {
  return block.type === 'resource' ? { ...block, resource: { ...block.resource, text } } : textBlock(text)
}
