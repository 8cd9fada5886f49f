import type { ModelErrorKind } from '../model-error.js'
import type { Model, ModelEvent, ModelRequest } from '../types.js'

/** The version of the lines that this package writes, and the newest that it reads. */
export const VERSION = 1

/** What a model was asked and what it streamed. */
export interface Recording {
  /** What messages call it. */
  readonly file: string
  /** Id of the model. */
  readonly model: string
  readonly limits?: Model['limits']
  /** In the order in which they ended. */
  readonly calls: readonly RecordedCall[]
}

export interface RecordedCall {
  /** Counts the calls of a model from 1, in the order of their start. */
  readonly call: number
  /** Of the whole request. */
  readonly digest: string
  /** Absent when the line that it continues is not in the recording. */
  readonly request?: ModelRequest
  readonly events: readonly RecordedEvent[]
  readonly end: RecordedEnd
}

export interface RecordedEvent {
  /** Milliseconds since the start of the call. */
  readonly ms: number
  readonly event: ModelEvent
}

/** How a call ended, `ms` milliseconds after its start. Whatever was no `ModelError` failed with the kind `unknown`. */
export type RecordedEnd =
  | { readonly type: 'done' | 'aborted'; readonly ms: number }
  | {
      readonly type: 'failed'
      readonly ms: number
      readonly kind: ModelErrorKind
      readonly message: string
      readonly retryAfterMs?: number
    }

/** A line of the file. Fields may be added; anything else is a new version. */
export type RecordingLine = HeaderLine | CallLine

export interface HeaderLine {
  readonly type: 'recording'
  readonly version: number
  readonly model: string
  readonly limits?: Model['limits']
}

export interface CallLine extends Omit<RecordedCall, 'request'> {
  readonly type: 'call'
  readonly request: RequestPart
}

/** What is new in a request. Without it, every line would repeat the whole conversation. */
export interface RequestPart {
  /** The call whose request it continues: its first messages, and its system prompt and tools where they are absent here. */
  readonly from?: { readonly digest: string; readonly messages: number }
  readonly system?: string
  readonly tools?: ModelRequest['tools']
  readonly messages: ModelRequest['messages']
}
