import type {
  Authorization,
  ContentBlock,
  FailureCause,
  JsonObject,
  Tool,
  ToolCall,
  ToolResult,
} from '@ext/kernel/contract'
import type { LiveSpan } from '../trace.js'
import type { CallPlace, Stop } from './call.js'
import { textBlock } from './content.js'

/** A call on its way from PreToolUse to its Post event, and what has become of it so far. */
export interface Attempt {
  readonly tool: Tool
  readonly at: CallPlace
  readonly span: LiveSpan | undefined
  /** With the input as it is now: a hook or whoever answered the question may have replaced it. */
  call: ToolCall
  executed: boolean
  /** How long a question was open. */
  waitMs: number
  /** Running only. */
  durationMs: number
  authorization: Authorization | undefined
  /** The hooks that refused it. */
  readonly blockedBy: string[]
  /** What the model is told besides the result. */
  readonly told: string[]
  /** A hook wants the run to end. */
  stop: Stop | undefined
}

/** How a call ended, before the Post event. */
export type Ending =
  | { readonly result: ToolResult; readonly cause?: undefined }
  | {
      readonly result?: undefined
      readonly cause: FailureCause
      readonly error: string
      readonly content: readonly ContentBlock[]
      /** Of the tool's own result. */
      readonly meta?: JsonObject
    }

/** @param result what the tool gave; without one, the model gets the text of `error` */
export function failed(cause: FailureCause, error: string, result?: Pick<ToolResult, 'content' | 'meta'>): Ending {
  const { content = [textBlock(error)], meta } = result ?? {}
  return { cause, error, content, ...(meta ? { meta } : {}) }
}
