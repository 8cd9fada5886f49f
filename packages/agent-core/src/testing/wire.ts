import { isMap } from '@ext/kernel'
import type { ContentBlock, JsonObject, JsonValue } from '@ext/kernel/contract'
import type { ModelErrorKind } from '../model-error.js'
import type { ModelEvent, ModelRequest } from '../types.js'

type Body = Readonly<Record<string, unknown>>

/** A format in which providers are asked and answer. */
export interface Wire {
  /** Why the provider would refuse the request, if it would. */
  problem(body: Body): string | undefined
  parse(body: Body): ModelRequest
  /** Begins an answer; what is added is sent in frames. */
  answer(body: Body, send: (frame: string) => void): Answer
  failure(kind: ModelErrorKind, message: string): { readonly status: number; readonly body: JsonObject }
  /** An error behind the start of an answer. */
  inBand(kind: ModelErrorKind, message: string): string
}

export interface Answer {
  add(event: ModelEvent): void
  end(): void
}

/** The characters of one frame: small, so that texts, inputs and characters are cut where they should not be. */
const PIECE = 7

export function pieces(text: string): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / PIECE) }, (_, index) =>
    text.slice(index * PIECE, (index + 1) * PIECE),
  )
}

/** An input as it is sent: one that is no map is what a model errs with, such as half a JSON text. */
export function inputText(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input)
}

export function maps(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isMap) : []
}

export function textOr(value: unknown, other = ''): string {
  return typeof value === 'string' ? value : other
}

export function toInput(value: unknown): JsonObject {
  return isMap(value) ? (value as JsonObject) : {}
}

export function textBlocks(text: string): readonly ContentBlock[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
