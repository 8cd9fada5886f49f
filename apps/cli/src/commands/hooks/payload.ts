import { resolve } from 'node:path'
import { isMap } from '@ext/kernel'
import type { JsonObject } from '@ext/kernel/contract'
import { nodeFiles } from '@ext/kernel/node'
import { oneLine } from '../../render/words.js'

export interface PayloadOptions {
  readonly payload?: string
  readonly payloadFile?: string
}

/** What a person gives of a payload, or what is wrong with it. */
export async function readPayload({ payload, payloadFile }: PayloadOptions): Promise<JsonObject | string> {
  if (payloadFile === undefined) return payload === undefined ? {} : parse(payload, '--payload')
  const read = await nodeFiles().readText(resolve(payloadFile), { maxBytes: MAX_PAYLOAD_BYTES })
  if (read.failure) return `The payload ${payloadFile} can't be read: ${read.message}`
  return parse(read.text, payloadFile)
}

const MAX_PAYLOAD_BYTES = 64 * 1024 * 1024

function parse(text: string, from: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    // Parsed from JSON, so it can hold nothing else.
    if (isMap(value)) return value as JsonObject
    return `${from} holds no object, but ${oneLine(text, 60)}. Write for example '{"tool_input":{"command":"ls"}}'.`
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return `${from} is not valid JSON: ${why}. Write for example '{"tool_input":{"command":"ls"}}'.`
  }
}
