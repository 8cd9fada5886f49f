import type { ProcessResult } from '@ext/kernel'
import type { LifecycleEvent } from '@ext/kernel/contract'
import type { Rewrite } from './rewrite.js'

/** What came of an action, whatever kind it is. The protocol says what it means. */
export type ActionResult = { readonly ms: number } & (
  | { readonly kind: 'ended'; readonly process: ProcessResult }
  /** It did not get as far as an answer. */
  | { readonly kind: 'failed'; readonly cause: string; readonly detail?: string }
)

/** Why a reply can't be taken as it is. */
export interface ReplyProblem {
  /** Short and stable. */
  readonly cause: string
  /** What to write instead. */
  readonly detail: string
}

/** What a reply says, whatever words it uses. */
export interface ReplyFields {
  block?: boolean
  /** Of a call, or the answer to a permission request. */
  opinion?: 'allow' | 'ask'
  /** Of the block or the opinion. */
  reason?: string
  stop?: boolean
  stopReason?: string
  rewrite?: Rewrite
  /** Beside an allow: rules to remember. */
  rules?: readonly string[]
  retry?: true
  context?: string
  message?: string
}

/** A reply, field by field. `problem` is the first fault; the fields that could be read are there all the same. */
export interface ReadFields {
  readonly fields: ReplyFields
  readonly problem?: ReplyProblem
  /** Fields that had no effect, each with the reason. */
  readonly ignored: readonly string[]
}

/** What a reply is an answer to. */
export interface Asked {
  readonly event: LifecycleEvent
  /** The event is about a tool of an MCP server. */
  readonly mcpTool: boolean
}
