import { isMap } from '@ext/kernel'
import type { ContentBlock, JsonValue } from '@ext/kernel/contract'

/** What is shorter may well stand in a text for another reason. */
const MIN_LENGTH = 64
/** More than this nobody looks at; it keeps the search within bounds. */
const MAX_MEDIA = 100

interface Parts {
  readonly content: readonly ContentBlock[]
  readonly structured: JsonValue | undefined
}

/**
 * Some servers send an image as a block and again as base64 text, in `structuredContent` or beside it; read as text it
 * costs a conversation hundreds of thousands of tokens. The block stays, and the copies become a word about it.
 */
export function oncePerMedium({ content, structured }: Parts): Parts {
  const media = [...new Set(content.flatMap(dataOf))].slice(0, MAX_MEDIA)
  if (media.length === 0) return { content, structured }
  const shorten = (text: string) => {
    let short = text
    for (const data of media) {
      if (short.length >= data.length && short.includes(data)) short = short.split(data).join(`[${IN_CONTENT}]`)
    }
    return short
  }
  const seen = new Set<string>()
  return {
    content: content.map((block) => {
      if (block.type === 'text') {
        const text = shorten(block.text)
        return text === block.text ? block : { ...block, text }
      }
      const [data] = dataOf(block)
      if (data === undefined) return block
      if (seen.has(data)) return { type: 'text', text: '[the same data as in a block above]' }
      seen.add(data)
      return block
    }),
    structured: structured === undefined ? undefined : mapTexts(structured, shorten),
  }
}

const IN_CONTENT = 'data that is in the content'

function dataOf(block: ContentBlock): readonly string[] {
  const data =
    block.type === 'image' || block.type === 'audio'
      ? block.data
      : block.type === 'resource'
        ? block.resource.blob
        : undefined
  return data !== undefined && data.length >= MIN_LENGTH ? [data] : []
}

/** The same value with every text in it changed; parts without a change stay the same objects. */
function mapTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) {
    const items = value.map((item) => mapTexts(item, change))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (!isMap(value)) return value
  const entries = Object.entries(value as Readonly<Record<string, JsonValue>>)
  const changed = entries.map(([key, item]) => [key, mapTexts(item, change)] as const)
  return changed.some(([, item], index) => item !== entries[index]?.[1]) ? Object.fromEntries(changed) : value
}
