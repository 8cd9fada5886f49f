import type { JsonObject, ModelRequest } from '@ext/kernel/contract'

export interface Model {
  /** For people and records, for example `anthropic/claude-sonnet-4-5`. */
  readonly id: string
  readonly limits?: ModelLimits
  /**
   * Asks the model once. Fails by throwing from the stream, best a `ModelError`; what came before the error is kept.
   * Should end soon after `signal` aborts, but the run does not wait for it.
   */
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<ModelEvent>
}

/** What a model takes. */
export interface ModelLimits {
  /** Whether it takes images. Default no: it is told that there was one. */
  readonly images?: boolean
  /** Whether it takes sound. Default no. */
  readonly audio?: boolean
  /** Tokens that a request and its answer may have together. Without it nothing is compacted before the model complains. */
  readonly contextTokens?: number
}

export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  /** The model thinks aloud: for people, and no part of its answer. */
  | { readonly type: 'reasoning'; readonly text: string }
  /** The model is at work on what it gives as a whole, such as a long input: it is not silent. */
  | { readonly type: 'working' }
  /** @param input anything, since models err; what is not an object is rejected with a message to the model */
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'usage'
      /** All of them, also those from a cache. */
      readonly inputTokens: number
      readonly outputTokens: number
      /** How many of the input were read from the prompt cache of the provider. */
      readonly cacheReadTokens?: number
      /** How many of the input were written to it. */
      readonly cacheWriteTokens?: number
      /** In US dollars. */
      readonly costUsd?: number
    }
  /** The answer ends before its end: at the limit of output tokens, or at a filter of the provider. */
  | { readonly type: 'cut'; readonly by: CutBy }
  /** What the model wants back with this answer in later requests, as `meta` of its message. The last one counts. */
  | { readonly type: 'meta'; readonly meta: JsonObject }

/** What has cut an answer off. */
export type CutBy = 'length' | 'filter'
