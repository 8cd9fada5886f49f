import type { ContentBlock } from '@ext/kernel/contract'

/** A block that is no medium, as the model reads it. */
export function blockText(block: Exclude<ContentBlock, { type: 'image' | 'audio' }>): string {
  if (block.type === 'text') return block.text
  if (block.type === 'resource') return `${block.resource.uri}\n${block.resource.text ?? ''}`
  const { uri, name, description } = block
  return `${name}: ${uri}${description === undefined ? '' : `\n${description}`}`
}
