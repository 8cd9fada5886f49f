import type { ProcessResult } from '@ext/kernel'
import type { ElicitationAction, JsonObject, LifecycleEvent } from '@ext/kernel/contract'
import type { Rewrite } from './rewrite.js'

/** What came of an action, and how long it took. */
export type ActionResult = ActionOutcome & { readonly ms: number }

/**
 * What came of an action, whatever kind it is; the protocol says what it means.
 * - `ended`: a command · `replied`: with the fields of a reply, of which a part may be no JSON · `judged`: somebody who was asked says whether it may go on
 * - `reminds`: a text for the model · `silent`: it ran and said nothing
 * - `failed`: it did not get as far as an answer · `unaskable`: the event is nothing that it could be asked about
 * - `timed-out` · `skipped`: it did not run
 */
export type ActionOutcome =
  | { readonly kind: 'ended'; readonly process: ProcessResult }
  | { readonly kind: 'replied'; readonly reply: JsonObject; readonly problem?: ReplyProblem }
  | { readonly kind: 'judged'; readonly ok: boolean; readonly reason?: string }
  | { readonly kind: 'reminds'; readonly text: string }
  | { readonly kind: 'silent' }
  | { readonly kind: 'failed'; readonly cause: string; readonly detail?: string }
  | { readonly kind: 'unaskable'; readonly cause: string; readonly detail: string }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'skipped'; readonly cause: string; readonly notice?: string }

/** Why a reply can't be taken as it is. */
export interface ReplyProblem {
  /** Short and stable. */
  readonly cause: string
  /** What to write instead. */
  readonly detail: string
}

/** What a server that asks is told. */
export interface ElicitationReply {
  readonly action: ElicitationAction
  /** Only with `accept`. */
  readonly content?: JsonObject
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
  /** The answer to a server that asks. */
  answer?: ElicitationReply
  context?: string
  message?: string
}

/** A reply, field by field. `problem` is the first fault; the fields that could be read are there all the same. */
export interface ReadFields {
  readonly fields: ReplyFields
  readonly problem?: ReplyProblem
  /** Text that stands in front of the reply is not to be shown. */
  readonly isQuiet: boolean
  /** Fields that had no effect, each with the reason. */
  readonly ignored: readonly string[]
}

/** What a reply is an answer to. */
export interface Asked {
  readonly event: LifecycleEvent
  /** The input of the tool call that the event is about. */
  readonly toolInput?: JsonObject
  /** The event is about a tool of an MCP server. */
  readonly mcpTool: boolean
}
