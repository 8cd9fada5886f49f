import type { LanguageModelV3, SharedV3ProviderOptions } from '@ai-sdk/provider'
import { isMap } from '@ext/kernel'
import type { JsonObject, Message } from '@ext/kernel/contract'

type AssistantMessage = Extract<Message, { role: 'assistant' }>

/** A part of an answer in its place, with what the provider wants back about it. */
export type KeptPart =
  | { readonly type: 'reasoning'; readonly text: string; readonly options?: SharedV3ProviderOptions }
  /** The next `length` characters of the text. */
  | { readonly type: 'text'; readonly length: number; readonly options?: SharedV3ProviderOptions }
  /** The next call. */
  | { readonly type: 'call'; readonly options?: SharedV3ProviderOptions }

/** Who can read what is kept: signatures and ids mean nothing to another model. */
export function readerOf({ provider, modelId }: Pick<LanguageModelV3, 'provider' | 'modelId'>): string {
  return `${provider}/${modelId}`
}

/** The `meta` of an answer; `undefined` when text and calls are all there is to it. */
export function keep(reader: string, parts: readonly KeptPart[]): JsonObject | undefined {
  if (!parts.some(({ type, options }) => type === 'reasoning' || options)) return undefined
  return { aiSdk: { reader, parts } } as unknown as JsonObject
}

/** What was kept of an answer by the same model, in its order. */
export function keptParts({ meta }: AssistantMessage, reader: string): readonly KeptPart[] | undefined {
  const kept = meta?.['aiSdk']
  if (!isMap(kept) || kept['reader'] !== reader || !Array.isArray(kept['parts'])) return undefined
  return kept['parts'].every(isKeptPart) ? kept['parts'] : undefined
}

/** Whether the answer is still the one that was kept: hooks may change its words and its calls. */
export function isAsKept({ text, calls }: AssistantMessage, parts: readonly KeptPart[]): boolean {
  const length = parts.reduce((sum, part) => sum + (part.type === 'text' ? part.length : 0), 0)
  return length === text.length && parts.filter(({ type }) => type === 'call').length === calls.length
}

/** A session may come from a file. */
function isKeptPart(part: unknown): part is KeptPart {
  if (!isMap(part) || !(part['options'] === undefined || isMap(part['options']))) return false
  const { type } = part
  return type === 'call' || (type === 'text' && Number.isSafeInteger(part['length'])) || isThought(part)
}

function isThought({ type, text }: Record<string, unknown>): boolean {
  return type === 'reasoning' && typeof text === 'string'
}
