import type {
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3TextPart,
  LanguageModelV3ToolResultOutput,
  LanguageModelV3ToolResultPart,
} from '@ai-sdk/provider'
import type { ContentBlock, ToolMessageResult } from '@ext/kernel/contract'
import { blockText } from './blocks.js'
import { toolName, wellFormed } from './names.js'
import type { Traits } from './traits.js'

type Medium = Extract<ContentBlock, { type: 'image' | 'audio' }>
type UserPart = LanguageModelV3TextPart | LanguageModelV3FilePart
type Content = Extract<LanguageModelV3ToolResultOutput, { type: 'content' }>['value']

/** Start of the text of a result that is an error, for providers that can't say it otherwise. */
const ERROR_MARK = '[error] '

/**
 * The results of one turn. Images stay in their result where the provider and the result allow it; others follow in a
 * message behind all results, since nothing may stand between calls and their results.
 */
export function toolMessages(
  results: readonly ToolMessageResult[],
  traits: Traits,
  idOf: (id: string) => string,
  userParts: (blocks: readonly ContentBlock[]) => UserPart[],
): readonly LanguageModelV3Message[] {
  const behind: ContentBlock[] = []
  const content = results.map(({ callId, name, isError, content }): LanguageModelV3ToolResultPart => {
    const media = content.filter(isMedium)
    // An output of several parts has no place for the error.
    const inside = traits.mediaInResults && !isError && media.every(({ type }) => type === 'image')
    if (!inside && media.length > 0) behind.push({ type: 'text', text: `From the result of ${name}:` }, ...media)
    const output = inside && media.length > 0 ? severalParts(content) : oneText(content, isError, traits)
    return { type: 'tool-result', toolCallId: idOf(callId), toolName: toolName(name), output }
  })
  const messages: readonly LanguageModelV3Message[] = [{ role: 'tool', content }]
  return behind.length === 0 ? messages : [...messages, { role: 'user', content: userParts(behind) }]
}

function isMedium(block: ContentBlock): block is Medium {
  return block.type === 'image' || block.type === 'audio'
}

function oneText(content: readonly ContentBlock[], isError: boolean, { errorFlag }: Traits) {
  const texts = content.map((block) => (isMedium(block) ? `[${block.type}: shown below]` : blockText(block)))
  const text = wellFormed(texts.join('\n'))
  const value = text.trim() === '' ? '(no output)' : text
  if (!isError) return { type: 'text', value } as const
  return { type: 'error-text', value: errorFlag ? value : `${ERROR_MARK}${value}` } as const
}

function severalParts(content: readonly ContentBlock[]): LanguageModelV3ToolResultOutput {
  const value = content.flatMap((block): Content => {
    if (isMedium(block)) return [{ type: 'image-data', data: block.data, mediaType: block.mimeType }]
    const text = wellFormed(blockText(block))
    return text.trim() === '' ? [] : [{ type: 'text', text }]
  })
  return { type: 'content', value }
}
