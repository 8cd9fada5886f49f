import type {
  Attributed,
  CompactTrigger,
  JsonValue,
  Message,
  PermissionMode,
  ToolMessageResult,
} from '@ext/kernel/contract'
import type { AgentProfile } from '../agents/profile.js'
import type { RunReason } from '../run-events.js'

/** The version of the logs that this package writes, and the newest that it reads. */
export const LOG_VERSION = 3

/** Events that came with a version; others are as old as logs. A log of an older one gets none of them: its programs go on to read it. */
export const SINCE: Readonly<Partial<Record<keyof SessionEventFields, number>>> = { spent: 3 }

/** Says whose log it is. Stands before its events and never changes. */
export interface SessionHeader {
  readonly type: 'session'
  readonly version: number
  readonly id: string
  /** ISO 8601. */
  readonly at: string
  readonly cwd: string
  readonly permissionMode: PermissionMode
  readonly user?: string
  /** Id of the session that it began as a copy of. */
  readonly from?: string
  /** It is the log of a sub-agent, and no conversation of its own. */
  readonly parent?: ParentOfLog
}

/** What a sub-agent works for. */
export interface ParentOfLog {
  /** Id of the log of the session, or of the sub-agent, that has started it. */
  readonly session: string
  /** Its id, which is in its events as `agent_id`. */
  readonly agent: string
  /** Of its definition. */
  readonly name: string
  /** The call that has started it; absent where a hook or a skill has. */
  readonly call?: string
  /** The task that it is, where it works in the background. */
  readonly task?: string
}

/**
 * Something that a session has to have again when it is resumed. Fields may be added; anything else is a new version.
 * Nothing is ever taken back: a compaction stands behind what it replaces.
 */
export type SessionEvent = { readonly [T in keyof SessionEventFields]: EventOf<T> }[keyof SessionEventFields]

type EventOf<T extends keyof SessionEventFields> = {
  readonly type: T
  /** ISO 8601. */
  readonly at: string
} & SessionEventFields[T]

export interface SessionEventFields {
  /** The session was taken up again, by another process or in the place of another session. */
  resume: { readonly cwd: string; readonly permissionMode: PermissionMode }
  /** @property run start of the idempotency keys of its calls */
  run: { readonly run: string }
  /**
   * Goes behind the conversation. The results of calls have events of their own, unless they came with the conversation.
   * @property prompt it is what somebody has asked for
   * @property turn of an answer of the model: which one of the run it is
   * @property usage what the model call has used
   */
  message: {
    readonly message: Message
    readonly prompt?: true
    readonly turn?: number
    readonly usage?: CallUsage
  }
  /** A tool begins to act on a call. From here on it may have taken effect. */
  start: { readonly call: string }
  /** What came of a call of the newest answer. With that of the last one they are a message. */
  result: { readonly result: ToolMessageResult }
  /** The agent that has the conversation wants to hand it over once the calls of its turn have results. */
  handoff: { readonly to: string; readonly reason?: string }
  /**
   * Who has the conversation from here on.
   * @property name of its definition; absent for the agent with which the session began
   * @property turn of the run after which it took it
   * @property messages the conversation is these from here on, where a filter has changed it
   */
  agent: {
    readonly name?: string
    readonly permissionMode: PermissionMode
    readonly profile?: AgentProfile
    readonly turn: number
    readonly messages?: readonly Message[]
    readonly promptAt?: number
  }
  /** A sub-agent begins, whose log is that. */
  sub_agent: Omit<ParentOfLog, 'session'> & { readonly log: string }
  /**
   * Something begins in the background.
   * @property taken nothing begins yet, and maybe never: the id alone is given away, in the log of the session also where it
   *   is one of a sub-agent. No other task of the session ever has it.
   */
  task: { readonly task: string; readonly subject: string; readonly taken?: true }
  /** It has ended. @property text what the model is to be told */
  task_end: { readonly task: string; readonly text: string }
  /** What extensions keep, by their place in the agent. */
  state: { readonly states: Readonly<Record<string, JsonValue>> }
  /** The conversation is these messages from here on, and behind them its `keep` newest ones. */
  compact: {
    readonly trigger: CompactTrigger
    readonly messages: readonly Message[]
    readonly keep: number
    readonly promptAt: number
    readonly usage: CallUsage
  }
  /**
   * Something was used in the run beside its answers and summaries: by a sub-agent, which has ended, a hook, a server, or a call
   * that has failed.
   * @property run the same as of the event `run`
   * @property agent id of the sub-agent; all that it has used itself, in earlier processes too
   */
  spent: { readonly run: string; readonly usage: CallUsage; readonly agent?: string }
  /** @property pending what hooks want to be in the next message */
  end: {
    readonly reason: RunReason
    readonly turns: number
    readonly usage: CallUsage
    readonly pending: readonly Attributed[]
  }
}

export interface CallUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costUsd?: number
}
