import type { AnthropicProvider } from '@ai-sdk/anthropic'
import type { OpenAIProvider } from '@ai-sdk/openai'
import type { OpenAICompatibleProvider } from '@ai-sdk/openai-compatible'
import { expectTypeOf, test } from 'vitest'
import { type AiSdkOptions, aiSdkModel } from '../../src/ai-sdk/index.js'
import type { ScriptedEndpoint } from '../../src/testing/index.js'
import type { Message, Model, ModelEvent, RunEvent } from '../../src/types.js'

test('takes the models of providers, and gives what an agent takes', () => {
  expectTypeOf<ReturnType<AnthropicProvider>>().toExtend<Parameters<typeof aiSdkModel>[0]>()
  expectTypeOf<ReturnType<OpenAIProvider>>().toExtend<Parameters<typeof aiSdkModel>[0]>()
  expectTypeOf<ReturnType<OpenAICompatibleProvider['chatModel']>>().toExtend<Parameters<typeof aiSdkModel>[0]>()
  expectTypeOf(aiSdkModel).returns.toEqualTypeOf<Model>()
  // @ts-expect-error only the name of a model
  aiSdkModel('anthropic/claude')
})

test('has options whose names are checked', () => {
  expectTypeOf<{ promptCache: false }>().toExtend<AiSdkOptions>()
  expectTypeOf<{ promptCache: { ttl: '2h' } }>().not.toExtend<AiSdkOptions>()
  expectTypeOf<{ settings: { temperature: number } }>().toExtend<AiSdkOptions>()
})

test('an endpoint stands in for fetch', () => {
  expectTypeOf<ScriptedEndpoint['fetch']>().toExtend<typeof fetch>()
})

test('the new events are told apart by their type', () => {
  const event = {} as ModelEvent
  if (event.type === 'cut') expectTypeOf(event.by).toEqualTypeOf<'length' | 'filter'>()
  if (event.type === 'reasoning') expectTypeOf(event.text).toEqualTypeOf<string>()
  const told = {} as RunEvent
  if (told.type === 'model_end') expectTypeOf(told.cache_read_tokens).toEqualTypeOf<number | undefined>()
  const message = {} as Message
  // @ts-expect-error a user's message has none
  if (message.role === 'user') message.meta
})
