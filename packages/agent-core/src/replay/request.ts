import { canonicalJson } from '@ext/kernel'
import type { ModelRequest } from '../types.js'

/** A request as texts that can be compared: the same meaning is the same text. */
export interface RequestTexts {
  readonly system: string
  readonly tools: string
  readonly messages: readonly string[]
}

export function textsOf({ system, tools, messages }: ModelRequest): RequestTexts {
  return { system, tools: canonicalJson(tools), messages: messages.map(canonicalJson) }
}

/** The same for the same request, whatever the order of keys in it. */
export async function digestOf(texts: RequestTexts): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalJson(texts))
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** How many messages at the start are the same. */
export function commonMessages(a: RequestTexts, b: RequestTexts): number {
  const end = Math.min(a.messages.length, b.messages.length)
  let index = 0
  while (index < end && a.messages[index] === b.messages[index]) index++
  return index
}
