import type { LanguageModelV3CallOptions } from '@ai-sdk/provider'
import type { ModelLimits } from '../types.js'

export interface AiSdkOptions {
  /** Default: the provider and the model's own id, such as `anthropic/claude-sonnet-5-5`. */
  readonly id?: string
  /** Default: images for the providers whose models take them, else nothing. */
  readonly limits?: ModelLimits
  /** What goes with every request, in the words of the AI SDK. */
  readonly settings?: AiSdkSettings
  /**
   * Marks the stable start of each request, so that Anthropic's prompt cache holds it: the system prompt with the tools,
   * and the three newest messages that are not the model's. Other providers cache by themselves, and get no marks.
   * Default: marked, for 5 minutes. `false` marks nothing.
   */
  readonly promptCache?: PromptCache | false
  /** Whether what the model thought is handed back to it, which tool calls of thinking models need. Default yes. */
  readonly keepReasoning?: boolean
  /** Masked wherever they stand in an error: keys that the provider may repeat. What looks like a key is masked anyway. */
  readonly secrets?: readonly string[]
  /** Told once of each thing that the provider does not support, and of parts of an answer that are left out. */
  readonly onWarning?: (text: string) => void
}

export type AiSdkSettings = Pick<
  LanguageModelV3CallOptions,
  'maxOutputTokens' | 'temperature' | 'topP' | 'topK' | 'seed' | 'stopSequences' | 'headers' | 'providerOptions'
>

export interface PromptCache {
  /** How long the provider keeps it after its last use; an hour costs more to write. */
  readonly ttl: '5m' | '1h'
}
