import type { JsonValue, Message, PermissionMode, ToolCall, ToolMessageResult } from '@ext/kernel/contract'
import type { AgentProfile } from '../agents/profile.js'
import type { HandoffOrder, Pending } from '../run-context.js'
import type { RunReason } from '../run-events.js'
import type { Spent } from '../spending.js'

/** An answer of the model of which not every call has its result: its program was ended. */
export interface OpenTurn {
  /** Start of the idempotency keys of its calls. */
  readonly run: string
  readonly turn: number
  readonly calls: readonly ToolCall[]
  /** Ids of the calls that may have taken effect. */
  readonly started: Set<string>
  readonly results: Map<string, ToolMessageResult>
  /** Sub-agents that calls were waiting for, by the ids of those. */
  readonly agents: Map<string, KeptAgent>
}

/** A sub-agent with a log of its own. */
export interface KeptAgent {
  readonly log: string
  /** Its id. */
  readonly agent: string
  readonly name: string
}

/** Something that was in the background when the process ended. */
export interface KeptTask {
  readonly subject: string
  /** The sub-agent that it was. */
  readonly child?: KeptAgent
}

/** How far a run came that has no end. */
export interface UnfinishedRun {
  readonly run: string
  readonly turns: number
  /** How often the conversation was handed over in it. */
  readonly handoffs: number
  /** What it has used, as far as the log says: one that an older version wrote says it of its own answers alone. */
  readonly spent: Readonly<Spent>
  /** Ids of the sub-agents that are in it. */
  readonly counted: ReadonlySet<string>
}

/** What a whole session has used, sub-agents included as far as their run came to its end. */
export interface SessionTotals {
  /** Prompts that were let pass. */
  readonly prompts: number
  /** Model calls. */
  readonly turns: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** In US dollars, where the model reports it. */
  readonly costUsd?: number
}

/** Who has the conversation since it was handed over. */
export interface KeptHolder {
  /** Of its definition; absent for the agent with which the session began. */
  readonly name?: string
  /** Of this agent. */
  readonly permissionMode: PermissionMode
  readonly profile: AgentProfile | undefined
  /** Turns of the run that were over when it took it. */
  readonly since: number
}

/** A session as its log says. */
export interface Restored {
  readonly cwd: string
  /** Of the session, and of the agent with which it began. */
  readonly permissionMode: PermissionMode
  readonly holder: KeptHolder | undefined
  /** A handoff that was ordered and not carried out. */
  readonly handingOver: HandoffOrder | undefined
  /** Ends with an answer that has open calls, if there is an open turn. */
  readonly messages: readonly Message[]
  /** Where the newest prompt stands in `messages`. */
  readonly promptAt: number
  readonly open: OpenTurn | undefined
  /** The run that came to no end. */
  readonly unfinished: UnfinishedRun | undefined
  /** Why the newest run has ended; `undefined` if there was none, or it came to no end. */
  readonly ended: RunReason | undefined
  readonly totals: SessionTotals
  /** What ran in the background, by its id. */
  readonly tasks: ReadonlyMap<string, KeptTask>
  /** The highest number that the id of a task has. */
  readonly lastTask: number
  readonly states: Readonly<Record<string, JsonValue>>
  readonly pending: readonly Pending[]
  /** What the model has counted last: the tokens of so many messages. */
  readonly measured: { readonly tokens: number; readonly messages: number } | undefined
}
