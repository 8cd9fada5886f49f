import type { LanguageModelV3Message } from '@ai-sdk/provider'
import type { PromptCache } from './options.js'

/**
 * The newest messages that get a mark. With the system prompt these are the four that Anthropic allows. The newest message
 * may hold context of this turn alone, so what is sent again ends before it; and a lookup goes 20 blocks back, which is
 * less than a turn of many calls takes, so the mark of the request before has to be set again.
 */
const MARKED_MESSAGES = 3

/** Marks where the start of the request that stays the same may end. Tools come before the system prompt, so they are in it. */
export function withCacheMarks(
  prompt: readonly LanguageModelV3Message[],
  { ttl }: PromptCache,
): readonly LanguageModelV3Message[] {
  // Five minutes is what the provider does by itself.
  const cacheControl = { type: 'ephemeral', ...(ttl === '5m' ? {} : { ttl }) }
  const providerOptions = { anthropic: { cacheControl } }
  const marked = [...prompt]
  let left = MARKED_MESSAGES
  for (let index = prompt.length - 1; index >= 0; index--) {
    const message = prompt[index]
    if (!message || message.role === 'assistant') continue
    if (message.role !== 'system' && left-- <= 0) continue
    marked[index] = { ...message, providerOptions }
  }
  return marked
}
