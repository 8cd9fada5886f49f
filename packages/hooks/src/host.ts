import type { AgentRunner, ModelRequest, SessionRef } from '@ext/kernel/contract'

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
  stream(request: ModelRequest, options: HookModelOptions): AsyncIterable<HookModelEvent>
}

/** Who asks, so that the host can count what it costs where it belongs. */
export interface HookModelOptions {
  readonly signal: AbortSignal
  /** That of the event, which may be one of a sub-agent. */
  readonly session: SessionRef
  /** Name of the hook. */
  readonly by: string
}

/** A part of an answer. Others are not read. */
export type HookModelEvent =
  | { readonly type: 'text'; readonly text: string }
  /** An answer that has used up its tokens was cut off, and is none. */
  | { readonly type: 'usage'; readonly outputTokens: number }
  /** The answer was cut off for whatever reason. */
  | { readonly type: 'cut' }
  | { readonly type: string }
