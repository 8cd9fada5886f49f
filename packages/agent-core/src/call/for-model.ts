import type { ContentBlock } from '@ext/kernel/contract'
import type { CheckedLimits } from '../limits.js'
import type { ModelLimits } from '../types.js'
import { capContent, textBlock } from './content.js'

/** What of a result reaches the model: as much as it takes, and nothing that it can't read. What is left out is said. */
export function forModel(
  content: readonly ContentBlock[],
  takes: ModelLimits = {},
  { maxResultBytes, maxMediaBytes }: Pick<CheckedLimits, 'maxResultBytes' | 'maxMediaBytes'>,
): readonly ContentBlock[] {
  return capContent(withoutUnreadable(content, takes, maxMediaBytes), maxResultBytes)
}

/** Puts a line in the place of what the model does not take. */
export function withoutUnreadable(
  content: readonly ContentBlock[],
  takes: ModelLimits = {},
  maxMediaBytes: number,
): readonly ContentBlock[] {
  return content.map((block) => {
    const left = leftOut(block, takes, maxMediaBytes)
    return left === undefined ? block : textBlock(`[left out: ${left}]`)
  })
}

function leftOut(block: ContentBlock, takes: ModelLimits, maxBytes: number): string | undefined {
  if (block.type === 'image') return leftOutMedia('an image', block, takes.images === true, maxBytes)
  if (block.type === 'audio') return leftOutMedia('a sound', block, takes.audio === true, maxBytes)
  if (block.type !== 'resource' || block.resource.blob === undefined) return undefined
  const { uri, mimeType, blob } = block.resource
  return `${uri}, ${mimeType ?? 'binary data'} of ${blob.length} bytes in base64`
}

function leftOutMedia(
  what: string,
  { mimeType, data }: { readonly mimeType: string; readonly data: string },
  taken: boolean,
  maxBytes: number,
): string | undefined {
  const size = `${what} (${mimeType}, ${data.length} bytes in base64)`
  if (!taken) return `${size}; this model takes none`
  return data.length > maxBytes ? `${size}; ${maxBytes} are the limit` : undefined
}
