import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider'
import { ExtError } from '@ext/kernel'
import type { Model, ModelEvent, ModelRequest } from '../types.js'
import { withCacheMarks } from './cache.js'
import { toModelError } from './errors/model-error.js'
import { noEventStream } from './errors/no-stream.js'
import { readerOf } from './kept.js'
import type { AiSdkOptions } from './options.js'
import { type PromptContext, toPrompt } from './prompt.js'
import { streamEvents } from './stream.js'
import { type Traits, traitsOf } from './traits.js'

/**
 * A model of the AI SDK as a model of this package: the conversation, tools, images, thoughts, tokens and failures in its
 * words. What a provider reports as an error becomes a `ModelError`, with how long it wants to be left alone; what came
 * before stays, and a call that broke off half-way is none.
 *
 * Throws `agent-core.ai-sdk.version` for a model that speaks another version of the AI SDK's interface than 3.
 */
export function aiSdkModel(model: LanguageModelV3, options: AiSdkOptions = {}): Model {
  checkVersion(model)
  const { keepReasoning = true, promptCache = { ttl: '5m' }, secrets = [] } = options
  const traits = traitsOf(model.provider)
  const { limits = { images: traits.images } } = options
  const warn = once(options.onWarning)
  const reader = readerOf(model)
  const context: PromptContext = { limits, traits, reader: keepReasoning ? reader : undefined }
  return {
    id: options.id ?? `${model.provider.split('.')[0]}/${model.modelId}`,
    limits,
    async *stream(request: ModelRequest, { signal }): AsyncGenerator<ModelEvent> {
      try {
        const prompt = toPrompt(request.system, request.messages, context)
        const { stream, response } = await model.doStream({
          ...options.settings,
          ...(request.maxOutputTokens === undefined ? {} : { maxOutputTokens: request.maxOutputTokens }),
          prompt: [...(traits.cacheMarks && promptCache ? withCacheMarks(prompt, promptCache) : prompt)],
          ...toolsOf(request, traits),
          abortSignal: signal,
        })
        const problem = noEventStream(response?.headers)
        if (problem) {
          stream.cancel().catch(() => {})
          throw problem
        }
        yield* streamEvents(stream, { reader, keepReasoning, warn })
      } catch (error) {
        // Whoever aborts wants its own reason back.
        signal.throwIfAborted()
        throw toModelError(error, secrets)
      }
    },
  }
}

function toolsOf({ tools }: ModelRequest, { strictByDefault }: Traits): Partial<LanguageModelV3CallOptions> {
  if (tools.length === 0) return {}
  const strict = strictByDefault ? { strict: false } : {}
  return {
    tools: tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      name,
      description,
      inputSchema,
      ...strict,
    })),
    toolChoice: { type: 'auto' },
  }
}

function checkVersion(model: LanguageModelV3): void {
  const version: unknown = model?.specificationVersion
  if (version === 'v3') return
  throw new ExtError(
    'agent-core.ai-sdk.version',
    `The model must speak version 3 of the AI SDK's model interface, as providers for AI SDK 6 do; it speaks ${String(version ?? 'none')}.`,
  )
}

function once(tell: ((text: string) => void) | undefined): (text: string) => void {
  const said = new Set<string>()
  return (text) => {
    if (said.has(text)) return
    said.add(text)
    tell?.(text)
  }
}
