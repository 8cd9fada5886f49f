import type { AgentRunner, ModelRequest } from '@ext/kernel/contract'

/** What the program around the hooks can do for them. Without a part, hooks that need it are errors when they load. */
export interface HookHost {
  /** Answers `prompt` actions. */
  readonly model?: HookModel
  /** Other models that such an action may name. Default: none. */
  readonly models?: Readonly<Record<string, HookModel>>
  /** Runs the sub-agents of `agent` actions. */
  readonly runner?: AgentRunner
}

/** A model that can be asked once; that of `@ext/agent-core` fits. */
export interface HookModel {
  /** Fails by throwing. Should end soon after `signal` aborts; nobody waits for it. */
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<HookModelEvent>
}

/** A part of an answer. Others are not read. */
export type HookModelEvent =
  | { readonly type: 'text'; readonly text: string }
  /** An answer that has used up its tokens was cut off, and is none. */
  | { readonly type: 'usage'; readonly outputTokens: number }
  | { readonly type: string }
