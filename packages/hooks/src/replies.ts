import type { ElicitationAction, JsonObject, JsonValue, LifecycleEvent } from '@ext/kernel/contract'
import type { HookReply, OwnOutput } from './hook-reply.js'
import { joinReplies } from './join-replies.js'

/** Makes the replies that count at an event, each in the right field. */
export type Replies<E extends LifecycleEvent> = CommonReplies<E> &
  (E extends 'PreToolUse' ? CallReplies : E extends 'PermissionRequest' ? RequestReplies : BlockReplies<E>) &
  (OwnOutput<E> extends { additionalContext?: unknown } ? ContextReplies<E> : unknown) &
  (E extends keyof Rewritten ? RewriteReplies<E> : unknown) &
  (E extends 'PermissionDenied' ? { retry(): HookReply<E> } : unknown) &
  (E extends 'Elicitation' | 'ElicitationResult' ? AnswerReplies<E> : unknown)

interface CommonReplies<E extends LifecycleEvent> {
  /** A line for the user. */
  message(text: string): HookReply<E>
  /** Ends the run. */
  stop(reason: string): HookReply<E>
  /**
   * Several replies as one: of decisions the strictest counts, texts follow each other, of rewrites the last is used. Those
   * that are `undefined` say nothing.
   */
  all(...replies: readonly (HookReply<E> | undefined)[]): HookReply<E>
}

interface CallReplies {
  /** The call does not run, and the model is told why. */
  deny(reason: string): HookReply<'PreToolUse'>
  /** A person is asked, whatever the rules allow. */
  ask(reason: string): HookReply<'PreToolUse'>
  /** Nobody is asked, unless a rule or a guard says so. */
  allow(reason?: string): HookReply<'PreToolUse'>
}

interface RequestReplies {
  deny(reason: string): HookReply<'PermissionRequest'>
  /** @param rules to remember for the session, for example `Bash(npm test)` */
  allow(rules?: readonly string[]): HookReply<'PermissionRequest'>
}

interface BlockReplies<E extends LifecycleEvent> {
  /** What it does depends on the event; see the table of events. */
  block(reason: string): HookReply<E>
}

interface ContextReplies<E extends LifecycleEvent> {
  /** Tells the model something. */
  context(text: string): HookReply<E>
}

interface AnswerReplies<E extends LifecycleEvent> {
  /** The server is told this. @param content with `accept`: values for the fields of its form */
  answer(action: ElicitationAction, content?: JsonObject): HookReply<E>
}

/** The field of an event in which something can be replaced. */
interface Rewritten {
  readonly PreToolUse: 'updatedInput'
  readonly PostToolUse: 'updatedToolOutput'
  readonly BeforeModel: 'updatedRequest'
  readonly AfterModel: 'updatedResponse'
}

interface RewriteReplies<E extends keyof Rewritten> {
  /** Puts something else in the place of the input, the output, or parts of the request or response. */
  rewrite(value: NonNullable<OwnOutput<E>[Rewritten[E] & keyof OwnOutput<E>]>): HookReply<E>
}

const REWRITE_FIELDS: Readonly<Record<string, string>> = {
  PreToolUse: 'updatedInput',
  PostToolUse: 'updatedToolOutput',
  BeforeModel: 'updatedRequest',
  AfterModel: 'updatedResponse',
} satisfies Rewritten

/**
 * The replies of an event. Each is a plain value. To spread two into one loses the `hookSpecificOutput` of the first, which
 * is what `all` is for; a deny stands outside of it as well, so that it is never what gets lost.
 */
export function repliesFor<E extends LifecycleEvent>(event: E): Replies<E> {
  const own = (output: JsonObject) => ({ hookSpecificOutput: { hookEventName: event, ...output } })
  const decide = (permissionDecision: string, permissionDecisionReason?: string) =>
    own({ permissionDecision, ...(permissionDecisionReason === undefined ? {} : { permissionDecisionReason }) })
  const isRequest = event === 'PermissionRequest'
  const replies = {
    message: (systemMessage: string) => ({ systemMessage }),
    stop: (stopReason: string) => ({ continue: false, stopReason }),
    block: (reason: string) => ({ decision: 'block', reason }),
    deny: (reason: string) => ({
      decision: 'block',
      reason,
      ...(isRequest ? own({ decision: { behavior: 'deny', message: reason } }) : decide('deny', reason)),
    }),
    ask: (reason: string) => decide('ask', reason),
    allow: (why?: string | readonly string[]) => {
      if (isRequest) return own({ decision: { behavior: 'allow', ...(why ? { updatedPermissions: why } : {}) } })
      return decide('allow', why as string | undefined)
    },
    context: (additionalContext: string) => own({ additionalContext }),
    rewrite: (value: JsonValue) => own({ [REWRITE_FIELDS[event] ?? '']: value }),
    retry: () => own({ retry: true }),
    answer: (action: ElicitationAction, content?: JsonObject) =>
      own({ action, ...(content === undefined ? {} : { content }) }),
    all: (...all: readonly (JsonObject | undefined)[]) => joinReplies(all.filter((reply) => reply !== undefined)),
  }
  // Which of them an event has is said by the type alone.
  return replies as unknown as Replies<E>
}
