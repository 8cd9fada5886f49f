import type { LifecycleEvent, Payload } from '@ext/kernel/contract'
import type { HookReply } from './hook-reply.js'
import type { Replies } from './replies.js'

/** What a function may use besides the payload. */
export interface FunctionContext<E extends LifecycleEvent> {
  /** Aborts when the time is up or nobody waits any more. */
  readonly signal: AbortSignal
  /** Makes the replies of this event. */
  readonly reply: Replies<E>
}

/** What a function answers; nothing: it has no opinion. */
// biome-ignore lint/suspicious/noConfusingVoidType: what a function without a return has
export type FunctionReply<E extends LifecycleEvent> = HookReply<E> | undefined | void

/**
 * A hook in the process of the agent. Must not change the payload, which other hooks and the agent see too; the
 * input of a tool call is frozen, so that to change it throws. A throw is a failure like that of a command, and never a block unless `onFailure` says so.
 */
export type HookFunction<E extends LifecycleEvent = LifecycleEvent> = (
  payload: Payload<E>,
  context: FunctionContext<E>,
) => FunctionReply<E> | Promise<FunctionReply<E>>

/** A function of some event. Whoever calls it has looked at which. */
export type AnyHookFunction = (payload: never, context: never) => unknown

/** When a function runs, in the words of a native rule. */
export interface FunctionOptions {
  /** What messages call the hook. Default: the name of the function. */
  readonly name?: string
  /** Names of tools (`Edit|Write`) or a regular expression for the whole name. Default: all. */
  readonly matcher?: string
  /** A permission rule such as `Bash(git push *)`. */
  readonly if?: string
  /** For example `500ms` or `30s`. Default 30s. */
  readonly timeout?: string
  /** Runs at most once in a session. Default false. */
  readonly once?: boolean
  /** Runs behind the sequential hooks before it, and sees what they have rewritten. Default false. */
  readonly sequential?: boolean
  /** What follows when it throws or takes too long. Default `continue`. */
  readonly onFailure?: 'continue' | 'block'
}

/** A function that is a hook; see {@link defineHook}. */
export interface FunctionHook extends FunctionOptions {
  readonly event: LifecycleEvent
  readonly fn: AnyHookFunction
}

/** Makes a hook of a function, for the option `functions` of `createHooks`. */
export function defineHook<E extends LifecycleEvent>(
  event: E,
  fn: HookFunction<E>,
  options: FunctionOptions = {},
): FunctionHook {
  return { ...options, event, fn }
}
